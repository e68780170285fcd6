package wellknown

// Schemas returns the schemas by import path and name of the type.
func Schemas() map[string]string { return schemas }

// Register registers schemas of types, like Types.
func Register(schemas map[string]string, location string) { register(schemas, location) }
