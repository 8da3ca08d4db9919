package wire

// Style is how a query parameter, or a property of a form, writes an array or an
// object (OpenAPI, "Style Values").
type Style uint8

const (
	Form           Style = iota // name=a,b, or for an object name=k,v
	FormExplode                 // name=a&name=b, or for an object k=v
	SpaceDelimited              // name=a%20b
	PipeDelimited               // name=a%7Cb
	DeepObject                  // name[k]=v, nested to any depth; arrays count from name[0]
	JSON                        // name={"k":"v"}
)

func (s Style) separator() string {
	switch s {
	case SpaceDelimited:
		return " "
	case PipeDelimited:
		return "|"
	}
	return ","
}
