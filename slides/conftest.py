"""Makes slides/, plots/ and the synthetic test data importable."""
import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("MPLCONFIGDIR", tempfile.mkdtemp(prefix="warplab-mpl-"))
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "plots"), str(HERE.parent / "plots" / "testdata")]
