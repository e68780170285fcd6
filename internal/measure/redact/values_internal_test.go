package redact

import "testing"

// TestValuesAgain adds the same secrets for each of many connections.
func TestValuesAgain(t *testing.T) {
	var v Values
	for range 3 {
		v.Pairs("=", []string{"API_KEY=0123-4567-89ab"})
	}
	if len(v.secrets) != 6 { // with its escaped forms
		t.Errorf("there are %d secrets, want 6: %q", len(v.secrets), v.secrets)
	}
}
