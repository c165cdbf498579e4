# packaging.mk - the emulator for those who want it alone: make install, deb, wheel.
# Included by the top Makefile; uses its B, EMU, EMU_OBJ, RELEASE, Q.
#
# The library lies in a folder of its own, PREFIX/lib/warplab: among others' libraries every
# program would take it for NVIDIA's. warprun finds it from where warprun itself lies, so that
# a tree can be moved; CMake and pkg-config files name their own place, too.
.PHONY: install uninstall deb wheel test-packages
PREFIX ?= /usr/local
DESTDIR ?=
PKG := $(EMU)/packaging
PKG_FILES := bin/warprun lib/warplab/libcudart.so.13 lib/warplab/libcufft.so.12 lib/warplab/libnccl.so.2 include/warplab.h share/man/man1/warprun.1 \
    share/pkgconfig/warplab.pc lib/cmake/Warplab/WarplabConfig.cmake lib/cmake/Warplab/WarplabConfigVersion.cmake

# install-tree ROOT LIBRARY: the whole of it under ROOT
define install-tree
	$(Q)install -D -m 755 $B/bin/warprun '$1/bin/warprun'
	$(Q)install -D -m 644 $2 '$1/lib/warplab/libcudart.so.13'
	$(Q)install -m 644 $B/lib/libcufft.so.12 '$1/lib/warplab/libcufft.so.12'
	$(Q)install -m 644 $B/lib/libnccl.so.2 '$1/lib/warplab/libnccl.so.2'
	$(Q)strip --strip-unneeded '$1/bin/warprun' '$1/lib/warplab/libcudart.so.13' '$1/lib/warplab/libcufft.so.12' '$1/lib/warplab/libnccl.so.2'
	$(Q)install -D -m 644 $(EMU)/runtime/warplab.h '$1/include/warplab.h'
	$(Q)install -d '$1/share/man' '$1/share/man/man1' '$1/share/pkgconfig' '$1/lib/cmake' '$1/lib/cmake/Warplab'
	$(Q)install -m 644 $(PKG)/warprun.1 '$1/share/man/man1/warprun.1'
	$(Q)sed 's/@VERSION@/$(RELEASE)/g' $(PKG)/warplab.pc >'$1/share/pkgconfig/warplab.pc'
	$(Q)cp $(PKG)/WarplabConfig.cmake '$1/lib/cmake/Warplab/'
	$(Q)sed 's/@VERSION@/$(RELEASE)/g' $(PKG)/WarplabConfigVersion.cmake >'$1/lib/cmake/Warplab/WarplabConfigVersion.cmake'
	$(Q)cd '$1' && chmod 644 $(filter share/% lib/cmake/%,$(PKG_FILES))
endef

install: emulator
	$(ENDSTEP)
	$(call install-tree,$(DESTDIR)$(PREFIX),$B/lib/libcudart.so.13)
	@echo 'installed in $(DESTDIR)$(PREFIX): try $(PREFIX)/bin/warprun --help, or man warprun'
uninstall:
	$(Q)cd '$(DESTDIR)$(PREFIX)' && rm -f $(PKG_FILES) && rmdir lib/warplab lib/cmake/Warplab # what others have in it stays

# Of others' systems only the C library is known: a wheel brings the three libraries along, in a
# folder that LD_LIBRARY_PATH does not name, so that programs keep their own.
BUNDLED := libzstd.so.1 liblz4.so.1 libjansson.so.4
$B/package/libcudart.so.13: $(EMU_OBJ) $(EMU)/runtime/libcudart.map
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,-soname,libcudart.so.13 -Wl,--version-script=$(EMU)/runtime/libcudart.map $(LDFLAGS) $(EMU_OBJ) -o $@ \
	    $(EMU_LIBS) -Wl,-rpath,'$$ORIGIN/bundled'
wheel: emulator $B/package/libcudart.so.13
	$(ENDSTEP)
	$(Q)rm -rf $B/package/wheel
	$(call install-tree,$B/package/wheel,$B/package/libcudart.so.13)
	$(Q)mkdir -p $B/package/wheel/lib/warplab/bundled
	$(Q)for l in $(BUNDLED); do cp -L "$$($(CC) -print-file-name=$$l)" $B/package/wheel/lib/warplab/bundled/ || exit 1; done
	$(Q)chmod 644 $B/package/wheel/lib/warplab/bundled/* && rm -f $B/warplab-*.whl
	$(Q)python3 $(PKG)/wheel.py $B/package/wheel $(RELEASE) $B

deb: emulator
	$(ENDSTEP)
	$(Q)rm -rf $B/package/deb
	$(call install-tree,$B/package/deb/usr,$B/lib/libcudart.so.13)
	$(Q)rm -f $B/warplab_*.deb
	$(Q)$(PKG)/deb.sh $B/package/deb $(RELEASE) $B

# Each of them installed into an empty place, and CUDA programs run there.
test-packages: deb wheel $(filter %/fft %/nccl,$(PROGRAMS_BIN)) | build/deps-test.ok
	$(Q)$(PKG)/test.sh $B '$(CUDA)' $(RELEASE)
