// module.cpp: what Python sees of the extension.
#include <torch/csrc/utils/pybind.h>

#include "backend.h"

PYBIND11_MODULE(_C, m) {
  m.doc() = "The process group of torch.distributed over Weft's collectives";
  m.def("create", &weft_torch::create, py::arg("store"), py::arg("rank"), py::arg("size"), py::arg("timeout_s"),
        py::arg("ranks"), py::call_guard<py::gil_scoped_release>());
  m.def("rest", &weft_torch::rest_all, py::call_guard<py::gil_scoped_release>());
}
