package reflectschema_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// TestOmitEmptyWithoutEffect: omitempty without effect is a mistake, as an output would contain zero values.
func TestOmitEmptyWithoutEffect(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		goType reflect.Type
		want   string
	}{
		{"time", fieldsOf(field("A", time.Time{}, `json:"a,omitempty"`)), "never omits a time.Time because of omitempty, and writes its zero value; use omitzero"},
		{"struct", fieldsOf(field("A", Base{}, `json:"a,omitempty"`)), "never omits a struct because of omitempty"},
		{"array", fieldsOf(field("A", [2]int{}, `json:"a,omitempty"`)), "never omits an array because of omitempty"},
		{"empty array", fieldsOf(field("A", [0]int{}, `json:"a,omitempty"`)), ""},
		{"both", fieldsOf(field("A", time.Time{}, `json:"a,omitempty,omitzero"`)), ""},
		{"pointer", fieldsOf(field("A", &time.Time{}, `json:"a,omitempty"`)), ""},
		{"slice", fieldsOf(field("A", []time.Time{}, `json:"a,omitempty"`)), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := compileOwn(tt.goType, reflectschema.DirectionOutput)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
