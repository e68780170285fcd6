package reflectschema

// TagKeywords are the keywords of the tag, for the test that goes over all of them.
func TagKeywords() (names []string) {
	for _, k := range keywords {
		names = append(names, k.name)
	}
	return names
}

// HasPlan reports whether values of a type are checked in one pass, and not by the authority alone.
func HasPlan(t *Type) bool { return t.plan() != nil }
