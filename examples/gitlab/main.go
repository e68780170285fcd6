// Command gitlab lets a model work with the issues of GitLab, through the Go client of its API. See docs/wrap-api.md.
//
//	GITLAB_URL=https://gitlab.example.com GITLAB_TOKEN=glpat-… gitlab
//
// The token needs the scope read_api, or api with GITLAB_SCOPE=api, which adds tools that create and update issues.
package main

import (
	"cmp"
	"context"
	"errors"
	"log"
	"os"
	"time"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

// ISOTime has methods for its JSON, from which no schema can be derived. Its zero value is null.
func init() {
	reflectschema.RegisterSchema[gitlab.ISOTime](`{"type":["string","null"],"format":"date"}`)
}

// Issue has the fields of a gitlab.Issue that a model needs to choose one.
type Issue struct {
	IID       int64           `json:"iid" doc:"Number in the project"`
	Title     string          `json:"title"`
	State     string          `json:"state"`
	Labels    []string        `json:"labels"`
	Assignees []string        `json:"assignees" doc:"User names"`
	Due       *gitlab.ISOTime `json:"due"`
}

// summary takes the results of a method of the client.
func summary(from *gitlab.Issue, _ *gitlab.Response, err error) (Issue, error) {
	if err != nil {
		return Issue{}, explain(err)
	}
	issue := Issue{IID: from.IID, Title: from.Title, State: from.State, Labels: from.Labels, Due: from.DueDate}
	for _, user := range from.Assignees {
		issue.Assignees = append(issue.Assignees, user.Username)
	}
	return issue, nil
}

type Issues struct{ client *gitlab.Client }

type ListIn struct {
	_       struct{} `mcp:"readOnly,idempotent" doc:"Issues of a project, the newest first"`
	Project string   `json:"project" jsonschema:"minLength=1,maxLength=255,example=gitlab-org/cli" doc:"Path or number"`
	State   string   `json:"state" jsonschema:"enum=opened,enum=closed,enum=all,default=opened" doc:"Which issues"`
	Search  *string  `json:"search" jsonschema:"minLength=1,maxLength=200" doc:"Words in the title or description"`
	Page    int64    `json:"page" jsonschema:"minimum=1,default=1" doc:"1, or next_page of the previous result"`
}

type ListOut struct {
	Issues   []Issue `json:"issues"`
	NextPage int64   `json:"next_page,omitempty" doc:"Absent on the last page"`
}

func (s *Issues) ListIssues(ctx context.Context, in ListIn) (ListOut, error) {
	options := &gitlab.ListProjectIssuesOptions{ListOptions: gitlab.ListOptions{Page: in.Page, PerPage: 20}, State: &in.State, Search: in.Search}
	issues, response, err := s.client.Issues.ListProjectIssues(in.Project, options, gitlab.WithContext(ctx))
	if err != nil {
		return ListOut{}, explain(err)
	}
	short := make([]Issue, len(issues))
	for i, issue := range issues {
		short[i], _ = summary(issue, nil, nil)
	}
	return ListOut{short, response.NextPage}, nil
}

type GetIn struct {
	_       struct{} `mcp:"readOnly,idempotent" doc:"One issue, with everything that GitLab returns"`
	Project string   `json:"project" jsonschema:"minLength=1,maxLength=255" doc:"Path or number"`
	IID     int64    `json:"iid" jsonschema:"minimum=1" doc:"Number in the project"`
}

func (s *Issues) GetIssue(ctx context.Context, in GetIn) (*gitlab.Issue, error) {
	issue, _, err := s.client.Issues.GetIssue(in.Project, in.IID, gitlab.WithContext(ctx))
	return issue, explain(err)
}

type CreateIn struct {
	_           struct{} `mcp:"destructive=false" doc:"Open a new issue"`
	Project     string   `json:"project" jsonschema:"minLength=1,maxLength=255" doc:"Path or number"`
	Title       string   `json:"title" jsonschema:"minLength=1,maxLength=255" doc:"One line"`
	Description *string  `json:"description" jsonschema:"maxLength=100000" doc:"Markdown"`
}

func (s *Issues) CreateIssue(ctx context.Context, in CreateIn) (Issue, error) {
	options := &gitlab.CreateIssueOptions{Title: &in.Title, Description: in.Description}
	return summary(s.client.Issues.CreateIssue(in.Project, options, gitlab.WithContext(ctx)))
}

type UpdateIn struct {
	_           struct{}                         `mcp:"destructive,idempotent" doc:"Change an issue. Absent arguments keep their values."`
	Project     string                           `json:"project" jsonschema:"minLength=1,maxLength=255" doc:"Path or number"`
	IID         int64                            `json:"iid" jsonschema:"minimum=1" doc:"Number in the project"`
	Title       *string                          `json:"title" jsonschema:"minLength=1,maxLength=255" doc:"One line"`
	Description *string                          `json:"description" jsonschema:"maxLength=100000" doc:"Markdown"`
	Due         mcptool.Optional[gitlab.ISOTime] `json:"due" doc:"null for none"`
	State       *string                          `json:"state" jsonschema:"enum=close,enum=reopen" doc:"What to do with the issue"`
}

func (s *Issues) UpdateIssue(ctx context.Context, in UpdateIn) (Issue, error) {
	options := &gitlab.UpdateIssueOptions{Title: in.Title, Description: in.Description, DueDate: in.Due.Value, ResetDueDate: in.Due.Null, StateEvent: in.State}
	return summary(s.client.Issues.UpdateIssue(in.Project, in.IID, options, gitlab.WithContext(ctx)))
}

// explain returns the error that the model gets for an error of the client. The server hides other errors, which have URLs.
func explain(err error) error {
	refused, _ := errors.AsType[*gitlab.ErrorResponse](err)
	switch {
	case refused.HasStatusCode(400), refused.HasStatusCode(422):
		return mcptool.Errorf("GitLab refused the arguments: %s", refused.Message)
	case refused.HasStatusCode(401), refused.HasStatusCode(403):
		return mcptool.Errorf("the token of this server may not do this; tell the user, and do not try again")
	case refused.HasStatusCode(404):
		return mcptool.Errorf("no such project or issue, or the token may not read it; list_issues returns the issues of a project")
	case refused.HasStatusCode(429):
		return mcptool.Errorf("GitLab limits the number of requests; try again in a minute")
	}
	return err
}

// registry returns the tools for a token with a scope.
func registry(address, token, scope string) (*mcptool.Registry, error) {
	client, err := gitlab.NewClient(token, gitlab.WithBaseURL(address), gitlab.WithOnlyIdempotentRetries(), gitlab.WithCustomRetryMax(2))
	options := []mcptool.ToolOption{mcptool.Timeout(30 * time.Second)}
	if scope != "api" {
		options = append(options, mcptool.ExceptMethods("CreateIssue", "UpdateIssue"))
	}
	tools, toolsErr := mcptool.NewService(&Issues{client}, options...)
	r := new(mcptool.Registry)
	return r, errors.Join(err, toolsErr, r.Add(tools))
}

func main() {
	tools, err := registry(cmp.Or(os.Getenv("GITLAB_URL"), "https://gitlab.com"), os.Getenv("GITLAB_TOKEN"), os.Getenv("GITLAB_SCOPE"))
	if err != nil {
		log.Fatal(err)
	}
	stdio.Main(&runtime.Server{Name: "gitlab", Version: "1.0.0", Tools: tools, MaskErrors: true, OmitOutputSchemas: true})
}
