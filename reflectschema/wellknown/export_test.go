package wellknown

// Schemas returns the schemas of the types, by import path and name.
func Schemas() map[string]string { return schemas }

// Register registers schemas of types, as Types does.
func Register(schemas map[string]string, location string) { register(schemas, location) }
