module @outer {
  module @nested {
    func.func @f() {
      return
    }
  }
}
