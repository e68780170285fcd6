package mcptool_test

import (
	"context"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
)

// CloseIssueIn puts the tool into a group with its tag.
type CloseIssueIn struct {
	_      struct{} `mcp:"name=close_issue,group=issues" doc:"Close an issue"`
	Number int      `json:"number"`
}

func CloseIssue(context.Context, CloseIssueIn) (struct{}, error) { return struct{}{}, nil }

// Pulls is a service.
type Pulls struct{}

// MergePull becomes the tool merge_pull.
func (Pulls) MergePull(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }

func ExampleGroup() {
	closeIssue, err := mcptool.New(CloseIssue, mcptool.Group("writing"))
	if err != nil {
		fmt.Println(err)
		return
	}
	pulls, err := mcptool.NewService(Pulls{}, mcptool.Group("pulls", "writing")) // all methods
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(closeIssue.Info().Groups, pulls[0].Info().Groups)
	// Output: [issues writing] [pulls writing]
}
