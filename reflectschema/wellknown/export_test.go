package wellknown

// Schemas returns the schemas of the types, by import path and name.
func Schemas() map[string]string { return schemas }
