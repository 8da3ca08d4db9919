package spec

// Names that generated code uses itself, and that a document cannot have.
var (
	// packages are the names of the packages that generated files import.
	packages = []string{
		"bytes", "cmp", "context", "errors", "fmt", "http", "io", "iter", "json", "maps", "math", "net", "regexp",
		"runtime", "slices", "strconv", "strings", "sync", "time", "unicode", "url", "utf8", "validate", "wire",
	}
	keywords = []string{
		"break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "for", "func", "go",
		"goto", "if", "import", "interface", "map", "package", "range", "return", "select", "struct", "switch", "type", "var",
	}
	predeclared = []string{
		"any", "append", "bool", "byte", "cap", "clear", "close", "comparable", "complex", "complex128", "complex64",
		"copy", "delete", "error", "false", "float32", "float64", "imag", "int", "int16", "int32", "int64", "int8",
		"iota", "len", "make", "max", "min", "new", "nil", "panic", "print", "println", "real", "recover", "rune",
		"string", "true", "uint", "uint16", "uint32", "uint64", "uint8", "uintptr",
	}
	// declared are the package's own names.
	declared = []string{"Client", "Config", "New", "operations", "upstream", "init", "main", "_"}
	// methodLocals are the names of the receiver and of arguments in the methods of
	// the client; locals are all names of receivers, arguments and variables.
	methodLocals = []string{"c", "ctx", "params", "opts"}
	locals       = append(methodLocals, "err", "req", "r", "result", "q", "h", "p", "v", "e", "i", "item", "value", "data", "body")

	clientMethods = []string{"Upstream"}
	configFields  = []string{"BaseURL", "Upstream"}
	resultFields  = []string{"StatusCode"}
	structMethods = []string{"Validate", "MarshalJSON", "UnmarshalJSON"}
)
