package wellknown

// Schemas returns the schemas by import path and name of the type.
func Schemas() map[string]string { return schemas }

// RegisterAt registers schemas of types, as Register does.
func RegisterAt(schemas map[string]string, location string) { register(schemas, location) }
