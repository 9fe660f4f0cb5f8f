// module.cpp: what Python sees of the extension.
#include <torch/csrc/utils/pybind.h>

#include "backend.h"
#include "launch.h"

PYBIND11_MODULE(_C, m) {
  using weft_torch::Launch;
  m.doc() = "The process group of torch.distributed over Weft's collectives";
  m.def("create", &weft_torch::create, py::arg("store"), py::arg("rank"), py::arg("size"), py::arg("timeout_s"),
        py::arg("ranks"), py::call_guard<py::gil_scoped_release>());
  m.def("rest", &weft_torch::rest_all, py::call_guard<py::gil_scoped_release>());
  py::class_<Launch>(m, "Launch")
      .def(py::init<double>(), py::arg("timeout_s"), py::call_guard<py::gil_scoped_release>())
      .def_property_readonly("rank", &Launch::rank)
      .def_property_readonly("size", &Launch::size)
      .def_property_readonly("nodes", &Launch::nodes)
      .def("broadcast", &Launch::broadcast, py::arg("text"), py::call_guard<py::gil_scoped_release>());
}
