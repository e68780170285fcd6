package mcptool_test

import (
	"context"
	"database/sql/driver"
	"fmt"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema/datetime"
)

// UpdateIssueIn holds the arguments of update_issue. Columns of absent arguments keep their values.
type UpdateIssueIn struct {
	ID       int64                           `json:"id"`
	Title    *string                         `json:"title" jsonschema:"minLength=1"`
	Assignee mcptool.Optional[string]        `json:"assignee" jsonschema:"minLength=1" doc:"User name; null to unassign"`
	Due      mcptool.Optional[datetime.Date] `json:"due" doc:"null for no date"`
}

// Statement returns the SQL of the update. Title is NOT NULL, so it is a pointer and refuses null.
func (in UpdateIssueIn) Statement() (query string, args []any) {
	var columns []string
	set := func(column string, value any) {
		columns, args = append(columns, column+" = ?"), append(args, value)
	}
	if in.Title != nil {
		set("title", *in.Title)
	}
	if in.Assignee.IsSet() {
		set("assignee", in.Assignee.Value) // a nil pointer is NULL
	}
	if in.Due.IsSet() {
		set("due", in.Due.Value)
	}
	if len(columns) == 0 {
		return "", nil
	}
	return "UPDATE issues SET " + strings.Join(columns, ", ") + " WHERE id = ?", append(args, in.ID)
}

// An update keeps the columns of absent arguments, and clears the columns of null arguments.
func ExampleOptional() {
	update := func(_ context.Context, in UpdateIssueIn) (string, error) {
		query, args := in.Statement()
		for i := range args { // as database/sql does
			args[i], _ = driver.DefaultParameterConverter.ConvertValue(args[i])
		}
		return strings.TrimSpace(fmt.Sprintln(query, args)), nil
	}
	tool, err := mcptool.New(update, mcptool.Name("update_issue"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tool.InputSchema())
	for _, args := range []string{
		`{"id":7}`,
		`{"id":7,"assignee":"ana"}`,
		`{"id":7,"assignee":null,"due":"2026-05-04"}`,
		`{"id":7,"title":null}`,
		`{"id":7,"assignee":""}`,
	} {
		result, err := tool.Call(context.Background(), []byte(args))
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s\n", result.Structured)
	}
	// Output:
	// {"type":"object","properties":{"id":{"type":"integer"},"title":{"type":"string","minLength":1},"assignee":{"description":"User name; null to unassign","type":["string","null"],"minLength":1},"due":{"description":"null for no date","type":["string","null"],"format":"date"}},"required":["id"],"additionalProperties":false}
	// "[]"
	// "UPDATE issues SET assignee = ? WHERE id = ? [ana 7]"
	// "UPDATE issues SET assignee = ?, due = ? WHERE id = ? [<nil> 2026-05-04 7]"
	// "[]"
	// update_issue: invalid arguments
	// assignee: must have at least 1 character, got 0
	// Example: {"id":1,"assignee":"text"}
}
