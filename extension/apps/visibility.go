package apps

import (
	"fmt"
	"slices"

	"github.com/mcptool-go/mcptool/mcptool"
)

// Audience is a kind of caller of a tool.
type Audience string

const (
	// AudienceModel is the model: the host offers it the tool.
	AudienceModel Audience = "model"
	// AudienceApp is the views of the same server.
	AudienceApp Audience = "app"
)

// Visibility is the option that sets who may call a tool: Visibility([AudienceApp]) makes a tool for views only. By default both
// the model and views may call it. It requires at least one audience, each at most once.
//
// The host enforces it, and only if it has declared the extension. The server lists the tool to every client, and every
// caller of the server can call it: see [mcptool.Scopes] and [mcptool.VisibleIf] for restrictions that the server
// enforces.
func Visibility(audiences ...Audience) mcptool.ToolOption {
	attachment := mcptool.Attachment{
		Extension: extension,
		Meta:      map[string]any{"ui": map[string]any{"visibility": slices.Clone(audiences)}},
	}
	mistake := func(reason string) {
		attachment.Mistakes = append(attachment.Mistakes, mcptool.Mistake{Reason: "the option apps.Visibility " + reason, Fix: "pass apps.AudienceModel, apps.AudienceApp or both"})
	}
	if len(audiences) == 0 {
		mistake("is empty")
	}
	for i, audience := range audiences {
		switch {
		case audience != AudienceModel && audience != AudienceApp:
			mistake(fmt.Sprintf("names %q", audience))
		case slices.Contains(audiences[:i], audience):
			mistake(fmt.Sprintf("names %q twice", audience))
		}
	}
	return mcptool.Attach(attachment)
}
