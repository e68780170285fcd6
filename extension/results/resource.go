package results

import (
	"context"
	"errors"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/task"
)

type resourceIn struct {
	_ struct{} `mcp:"uri=results://{handle}" doc:"A result that was cut, complete: JSON or a text."`

	Handle string `json:"handle" jsonschema:"minLength=1,maxLength=200"`
}

// readResource reads a kept result as a resource.
func (x *extension) readResource(ctx context.Context, in resourceIn) (mcptool.ResourceContents, error) {
	doc, _, err := x.load(ctx, in.Handle)
	switch {
	case errors.Is(err, task.ErrNotFound):
		return mcptool.ResourceContents{}, mcptool.ErrResourceNotFound
	case err != nil:
		return mcptool.ResourceContents{}, err
	case doc.Kind(0) == rawjson.String:
		return mcptool.ResourceContents{MIMEType: "text/plain", Text: doc.Text(0)}, nil
	default:
		return mcptool.ResourceContents{MIMEType: "application/json", Text: string(doc.JSON(0))}, nil
	}
}
