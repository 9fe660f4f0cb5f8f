# Packages. `make deb` makes Debian's, in deb/, of what `make dist` hands out; tests/packaging/test_deb.sh does that in a bare root, and installs and uses them.
debian_files = packaging/debian/changelog packaging/debian/control packaging/debian/copyright packaging/debian/libweft-coll0.install \
	packaging/debian/libweft-common.install packaging/debian/libweft-dev.docs packaging/debian/libweft-dev.install packaging/debian/libweft0.install \
	packaging/debian/not-installed packaging/debian/rules packaging/debian/source/format packaging/debian/weft.docs packaging/debian/weft.install
EXTRA_DIST += packaging/spack/package.py $(debian_files)

deb: dist
	rm -rf deb && $(MKDIR_P) deb
	cp $(distdir).tar.xz deb/$(PACKAGE)_$(VERSION).orig.tar.xz
	tar -C deb -xf $(distdir).tar.xz
	cp -r deb/$(distdir)/packaging/debian deb/$(distdir)/debian
	cd deb/$(distdir) && dpkg-buildpackage -us -uc
.PHONY: deb
dist-name:
	@echo $(distdir).tar.xz
.PHONY: dist-name

long_tests += tests/packaging/test_deb.sh
EXTRA_DIST += tests/packaging/test_deb.sh
