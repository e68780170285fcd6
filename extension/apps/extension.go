package apps

import (
	"context"
	"encoding/json"
	"mime"
	"slices"

	"github.com/mcptool-go/mcptool/mcptool"
)

const (
	// ID is the identifier of the extension, which clients and servers declare.
	ID = "io.modelcontextprotocol/ui"
	// MIMEType is the media type of the document of a view.
	MIMEType = "text/html;profile=mcp-app"
)

// extension is the extension of all attachments of this package.
var extension = &mcptool.ClientExtension{ID: ID, Supports: supports}

// Supported reports whether the client of the running call shows views of tools. Without a server it reports false. Use
// it to shorten the text of a result, but do not omit anything from it, because the model reads only the text.
func Supported(ctx context.Context) bool {
	settings, declared := mcptool.Extension(ctx, ID)
	return declared && supports(settings)
}

// supports reports whether a client that has declared the extension with these settings shows HTML documents. The
// specification requires mimeTypes, but clients written for the npm package, where it is optional, may omit it.
func supports(settings json.RawMessage) bool {
	var declared struct {
		MIMETypes *[]string `json:"mimeTypes"`
	}
	if json.Unmarshal(settings, &declared) != nil {
		return false
	}
	return declared.MIMETypes == nil || slices.ContainsFunc(*declared.MIMETypes, isViewType)
}

// isViewType reports whether a media type is equivalent to MIMEType, which can be written in several ways.
func isViewType(text string) bool {
	media, parameters, err := mime.ParseMediaType(text)
	return err == nil && media == "text/html" && parameters["profile"] == "mcp-app"
}
