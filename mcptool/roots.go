package mcptool

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
)

// Root is a directory or file in use by the user of the client.
type Root struct {
	// URI is the file: URI of the root. The file or directory need not exist any more.
	URI string `json:"uri"`
	// Name is the display name; "" means unset.
	Name string `json:"name,omitempty"`
}

// Roots returns the directories and files to which the client wants the tool to restrict itself. They do not grant
// permission to use a path, since the client chooses them: check the paths in the arguments of a call yourself. The
// client must have the capability "roots". The errors are the same as for [Elicit].
//
// Revision 2026-07-28 of the protocol deprecates roots. New tools should take paths as arguments, or from their
// configuration.
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
