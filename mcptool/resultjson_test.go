package mcptool_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

func TestResultJSON(t *testing.T) {
	t.Parallel()
	tool := mustNew(t, GetWeather)
	called, err := tool.Call(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		value any
		want  string
	}{
		{mcptool.Result{}, `{"content":[]}`},
		{&mcptool.Result{Structured: map[string]int{"a": 1}, IsError: true, Meta: map[string]any{"a": 1}}, `{"content":[],"structuredContent":{"a":1},"isError":true,"_meta":{"a":1}}`},
		{mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: "a"}, &mcptool.Image{Data: []byte("x"), MIMEType: "image/png"}}}, `{"content":[{"type":"text","text":"a"},{"type":"image","data":"eA==","mimeType":"image/png"}]}`},
		{called, `{"content":[],"structuredContent":{}}`},
		{tool.InputSchema(), `{"type":"object","properties":{},"additionalProperties":false}`},
	} {
		got, err := json.Marshal(tt.value)
		if err != nil || string(got) != tt.want {
			t.Errorf("json.Marshal: %s %v\nwant %s", got, err, tt.want)
		}
		for _, format := range []string{"%v", "%s", "%+v"} {
			if got := fmt.Sprintf(format, tt.value); got != tt.want {
				t.Errorf("%s: %s\nwant %s", format, got, tt.want)
			}
		}
	}
	bad := mcptool.Result{Structured: make(chan int)}
	if _, err := bad.MarshalJSON(); err == nil || bad.String() != err.Error() {
		t.Errorf("a channel: %v, %v", err, bad)
	}
}
