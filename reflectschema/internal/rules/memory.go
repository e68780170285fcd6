package rules

// Memory is how many bytes of memory a decoded value may still take. It is below zero once the value has taken more, and
// stays so. A nil Memory has no end.
type Memory int

// Take takes some bytes, and reports whether there were as many left.
func (m *Memory) Take(bytes int) bool {
	if m == nil {
		return true
	}
	*m -= Memory(bytes)
	return *m >= 0
}

// Has reports whether some bytes are left.
func (m *Memory) Has(bytes int) bool { return m == nil || *m >= Memory(bytes) }
