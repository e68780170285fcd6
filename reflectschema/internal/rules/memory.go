package rules

// Memory is how many bytes of memory a decoded value may still take. It is negative after the limit was exceeded. A nil
// Memory is unlimited.
type Memory int

// Take subtracts bytes, and reports whether the limit was not exceeded.
func (m *Memory) Take(bytes int) bool {
	if m == nil {
		return true
	}
	*m -= Memory(bytes)
	return *m >= 0
}

// Has reports whether bytes are left.
func (m *Memory) Has(bytes int) bool { return m == nil || *m >= Memory(bytes) }
