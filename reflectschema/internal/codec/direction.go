package codec

// A Direction determines who writes and who reads the JSON of a type. Package reflectschema documents the values.
type Direction uint8

// The directions, with the values of those in package reflectschema.
const (
	Input Direction = iota
	Output
	Stored
)
