libweftcore_la_SOURCES += \
	ir/attr.c ir/attr_equal.c ir/attr_numbers.c ir/attr_numbers.h ir/attr.h ir/attrs.def ir/builder.c ir/builder.h ir/clone.c ir/enums.def ir/float_text.c \
	ir/func_attrs.c ir/func_attrs.h ir/op_nearest.c ir/op_nearest.h ir/given_name.c ir/given_name.h ir/module.c ir/module.h ir/quant.c ir/quant.h \
	ir/op.c ir/op.h ir/ops.def ir/pass.c ir/pass.h ir/prepare.h ir/rewrite.c ir/rewrite.h ir/symbols.c ir/symbols.h ir/type.c ir/type.h \
	ir/check.c ir/check.h ir/infer.c ir/infer.h ir/infer_chlo.c ir/infer_collective.c ir/infer_control.c ir/infer_convolution.c ir/infer_custom_call.c ir/infer_dot.c \
	ir/infer_dynamic.c ir/infer_func.c ir/infer_gather.c ir/infer_linalg.c ir/infer_pointwise.c ir/infer_quant.c ir/infer_reduce.c ir/infer_sdy.c \
	ir/infer_sdy_collective.c ir/infer_shape.c ir/infer_token.c ir/verify.c ir/verify.h ir/verify_sharding.c ir/verify_rule.c ir/verify_edges.c \
	ir/written_sharding.c
libweftcore_la_SOURCES += ir/infer_check.c
libweftcore_la_SOURCES += ir/process.c ir/process.h ir/build_shape.c ir/tidy.c ir/tidy.h ir/line.c ir/line.h ir/trips.c ir/trips.h ir/index_type.c ir/index_type.h
libweftcore_la_SOURCES += ir/expr.c ir/expr.h ir/signature.c ir/signature.h ir/lapack.def
