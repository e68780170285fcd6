package main

import (
	"context"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// SurveyIn holds the arguments of Survey.
type SurveyIn struct {
	_     struct{} `mcp:"name=survey_languages,readOnly,group=others" doc:"Counts the lines of each programming language in a repository. It reports progress."`
	Repo  string   `json:"repo" doc:"Name of the repository"`
	Files int      `json:"files" jsonschema:"minimum=1,maximum=10,default=3" doc:"How many files to read"`
}

// Lines is the number of lines of each language.
type Lines map[string]int

// Survey takes longer for each file than the least time between two reports.
func Survey(ctx context.Context, in SurveyIn) (Lines, error) {
	if in.Repo == "empty" {
		return nil, mcptool.Errorf("the repository is empty")
	}
	for file := range in.Files {
		mcptool.Progress(ctx, float64(file+1), float64(in.Files), "a file")
		mcptool.Logger(ctx).Info("a file", "file", file+1)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(60 * time.Millisecond):
		}
	}
	return Lines{"Go": 100 * in.Files}, nil
}

// EraseIn holds the arguments of Erase. The user answers the question before the tool runs.
type EraseIn struct {
	_    struct{} `mcp:"name=erase_build_cache,destructive,group=others,askFirst=Erase the build cache of {repo}?" doc:"Erases everything in the build cache of a repository."`
	Repo string   `json:"repo" doc:"Name of the repository"`
}

// Erased is the result of Erase.
type Erased struct {
	Repo string `json:"repo"`
}

// Erase runs only after the user has confirmed.
func Erase(_ context.Context, in EraseIn) (Erased, error) { return Erased{in.Repo}, nil }

// WaitIn holds the arguments of Wait.
type WaitIn struct {
	_  struct{} `mcp:"name=await_build,readOnly,group=others" doc:"Waits for the build of a repository, at most the given time."`
	MS int      `json:"ms" jsonschema:"minimum=0,maximum=60000" doc:"How long to wait, in milliseconds"`
}

// Wait answers as soon as it is cancelled, so that its answer races the cancellation.
func Wait(ctx context.Context, in WaitIn) (struct{}, error) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(in.MS) * time.Millisecond):
	}
	return struct{}{}, nil
}

// ConnectionIn is empty.
type ConnectionIn struct {
	_ struct{} `mcp:"name=get_connection,readOnly,group=others" doc:"Returns the name of the client and the protocol revision that it uses."`
}

// Connection describes the caller.
type Connection struct {
	Client   string `json:"client"`
	Revision string `json:"revision"`
}

// GetConnection reports what a client has sent about itself.
func GetConnection(ctx context.Context, _ ConnectionIn) (Connection, error) {
	caller := mcptool.Caller(ctx)
	return Connection{caller.Client.Name, caller.ProtocolVersion}, nil
}
