package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
)

// Root is a directory or file that a client works in.
type Root struct {
	// URI is its address, with the scheme file. It may have vanished meanwhile.
	URI string `json:"uri"`
	// Name is for people; optional.
	Name string `json:"name,omitempty"`
}

// Roots returns the directories that the client works in, for the tool to stay within. The client chooses them, and
// they are no permission: check the paths of a call yourself. Roots needs the client's capability "roots"; the errors
// are those of [Elicit].
//
// Revision 2026-07-28 of the protocol deprecates roots. Take paths as arguments, or configure them. Roots remains for
// those who need it.
func Roots(ctx context.Context, opts ...AskOption) ([]Root, error) {
	var roots []Root
	if err := AskAll(ctx, RootsPart(&roots, opts...)); err != nil {
		return nil, err
	}
	return roots, nil
}

// RootsPart is [Roots] for [AskAll].
func RootsPart(dst *[]Root, opts ...AskOption) RequestPart {
	in := RequestPart{question: ClientRequest{Kind: KindRoots}}
	in.apply(opts)
	if dst == nil {
		in.err = errors.Join(in.err, errNoDestination)
	}
	in.read = func(raw json.RawMessage) error {
		var roots []Root
		err := json.Unmarshal(objectMembers(raw)["roots"], &roots)
		for _, r := range roots {
			if err == nil && !strings.HasPrefix(r.URI, "file://") {
				err = errors.New("a root has no file address")
			}
		}
		if err != nil {
			return &AnswerError{Err: errors.New("the client's roots cannot be read")}
		}
		*dst = roots
		return nil
	}
	return in
}
