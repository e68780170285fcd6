package mcptool_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

// schemaOf returns the schema of a form with these fields, all required.
func schemaOf(fields map[string]any) json.RawMessage {
	names := []string{}
	for name := range fields {
		names = append(names, name)
	}
	schema, _ := json.Marshal(map[string]any{"type": "object", "properties": fields, "required": names})
	return schema
}

// ExampleElicitSchema asks for the fields of a record, which the users of a database have chosen.
func ExampleElicitSchema() {
	fields := map[string]any{
		"title":    map[string]any{"type": "string", "minLength": 1},
		"priority": map[string]any{"type": "string", "enum": []string{"low", "high"}},
	}
	create := func(ctx context.Context, _ struct{}) (string, error) {
		answer, err := mcptool.ElicitSchema(ctx, "What is new?", schemaOf(fields))
		return string(answer), err
	}
	tool, err := mcptool.New(create, mcptool.Name("create"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, priority := range []string{"high", "huge"} {
		user := &mcptooltest.Client{Answers: []any{map[string]string{"title": "Crash", "priority": priority}}}
		result, err := user.Call(context.Background(), tool, nil)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(result.Content[0].(mcptool.Text).Text)
	}
	// Output:
	// {"priority":"high","title":"Crash"}
	// the answer cannot be used: What is new?
	// priority: must be one of "low", "high", got "huge"
}
