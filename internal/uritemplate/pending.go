package uritemplate

// Overlaps is replaced when the package is complete.
func (t *Template) Overlaps(*Template) (example string, yes bool) { return "", false }
