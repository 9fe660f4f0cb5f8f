libweftcore_la_SOURCES += \
	ir/attr.c ir/attr_equal.c ir/attr.h ir/attrs.def ir/builder.c ir/builder.h ir/clone.c ir/enums.def ir/module.c ir/module.h \
	ir/op.c ir/op.h ir/ops.def ir/pass.c ir/pass.h ir/prepare.h ir/type.c ir/type.h ir/verify.h
