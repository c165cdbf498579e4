"""Makes plots/ and its synthetic test data importable, and keeps matplotlib's cache out of $HOME."""
import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("MPLCONFIGDIR", tempfile.mkdtemp(prefix="warplab-mpl-"))
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "testdata")]
