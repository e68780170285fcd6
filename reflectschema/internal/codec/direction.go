package codec

// A Direction determines who writes and who reads the JSON of a type. Package reflectschema documents the values.
type Direction uint8

// The directions, with the values of those in package reflectschema.
const (
	Input Direction = iota
	Output
	Stored
)

// Encodes reports whether the program encodes values in this direction, apart from adapters and tests.
func (d Direction) Encodes() bool { return d == Output || d == Stored }

// Decodes reports whether the program decodes values in this direction, apart from adapters and tests.
func (d Direction) Decodes() bool { return d == Input || d == Stored }
