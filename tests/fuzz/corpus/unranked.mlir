
func.func @main(%a: tensor< *