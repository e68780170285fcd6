// Package reflectschema derives a JSON Schema from a Go type, and reads and
// writes values of that type by it.
package reflectschema
