package ask_test

import (
	"encoding/json"
	"testing"

	"github.com/mcptool-go/mcptool/internal/ask"
)

// TestFits compares answers of every kind with the members that the protocol requires.
func TestFits(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind   ask.Kind
		answer string
		want   bool
	}{
		{ask.KindForm, `{"action":"accept","content":{}}`, true},
		{ask.KindURL, ` { "action" : "cancel" } `, true},
		{ask.KindForm, `{"action":"perhaps"}`, false},
		{ask.KindForm, `{"Action":"accept"}`, false},
		{ask.KindForm, `12345`, false},
		{ask.KindForm, `null`, false},
		{ask.KindForm, ``, false},
		{ask.KindForm, `{"action":"accept"`, false},
		{ask.KindForm, `{"action":"accept"} {}`, false},
		{ask.KindForm, `{"action":"accept","action":"accept"}`, false},
		{ask.KindForm, `{"action":"accept","content":{"a":[{"b":1,"b":1}]}}`, false},
		{ask.KindForm, `{"action":"accept","content":{"a":"\ud800"}}`, false},
		{ask.KindForm, "{\"action\":\"accept\",\"content\":\"\xff\"}", false},
		{ask.KindSample, `{"role":"assistant","model":"m","content":{"type":"text","text":"a"}}`, true},
		{ask.KindSample, `{"role":"assistant","model":"m","content": [] }`, true},
		{ask.KindSample, `{"role":"assistant","content":[]}`, false},
		{ask.KindRoots, `{"roots":[]}`, true},
		{ask.KindRoots, `{"roots":{}}`, false},
		{0, `{"roots":[]}`, false},
	} {
		if got := test.kind.Fits(json.RawMessage(test.answer)); got != test.want {
			t.Errorf("kind %d, %s: %v", test.kind, test.answer, got)
		}
	}
}
