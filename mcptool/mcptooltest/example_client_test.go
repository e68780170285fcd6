package mcptooltest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
)

type ImportIn struct {
	_     struct{} `mcp:"name=import_notes,scopes=notes:write,task=optional"`
	Files []string `json:"files"`
}

type ImportOut struct {
	By    string `json:"by"`
	Files int    `json:"files"`
}

func ImportNotes(ctx context.Context, in ImportIn) (ImportOut, error) {
	for i, file := range in.Files {
		mcptool.Progress(ctx, float64(i), float64(len(in.Files)), "reading "+file)
	}
	mcptool.Logger(ctx).Info("imported", "files", len(in.Files))
	return ImportOut{By: mcptool.Caller(ctx).Principal, Files: len(in.Files)}, nil
}

// A client calls as somebody with scopes, and keeps what the tool reports and logs.
func ExampleClient() {
	tool, err := mcptool.New(ImportNotes)
	if err != nil {
		fmt.Println(err)
		return
	}
	arguments := []byte(`{"files":["a.txt","b.txt"]}`)

	reader := &mcptooltest.Client{Principal: "bob", Scopes: []string{"notes:read"}}
	_, err = reader.Call(context.Background(), tool, arguments)
	fmt.Println(err)

	writer := &mcptooltest.Client{Principal: "ann", Scopes: []string{"notes:read", "notes:write"}}
	result, err := writer.Call(context.Background(), tool, arguments)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", result.Structured)
	for _, report := range writer.ProgressReports() {
		fmt.Println(report.Done, "of", report.Total, report.Message)
	}
	for _, record := range writer.LogRecords() {
		fmt.Println(record.Level, record.Message)
	}
	// Output:
	// import_notes: hidden from the caller: requires the scopes ["notes:write"], and the caller has ["notes:read"]
	// {"by":"ann","files":2}
	// 0 of 2 reading a.txt
	// 1 of 2 reading b.txt
	// INFO imported
}

// A test runs a call as a task, looks how far it is, and waits for its result.
func ExampleStartTask() {
	_ = func(t *testing.T) { //nolint:thelper // a test such as TestImportAsTask
		tool, err := mcptool.New(ImportNotes)
		if err != nil {
			t.Fatal(err)
		}
		task := mcptooltest.StartTask(t, &mcptooltest.Client{}, tool, ImportIn{Files: []string{"a.txt"}})
		t.Log(task.Status(t.Context()).Message) // such as "reading a.txt"
		if out := mcptooltest.AwaitTask[ImportOut](t, task); out.Files != 1 {
			t.Errorf("got %d files, want 1", out.Files)
		}
		if got := task.Status(t.Context()); got.Status != "completed" {
			t.Errorf("the task is %s, want completed", got.Status)
		}
	}
}
