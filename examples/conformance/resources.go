package main

import (
	"context"
	"strings"

	"github.com/mcptool-go/mcptool/runtime"
)

// The objects of the protocol that resources are made of.
type (
	resource struct {
		URI      string `json:"uri"`
		Name     string `json:"name"`
		MIMEType string `json:"mimeType"`
	}
	resourceTemplate struct {
		URITemplate string `json:"uriTemplate"`
		Name        string `json:"name"`
		MIMEType    string `json:"mimeType"`
	}
	contents struct {
		URI      string `json:"uri"`
		MIMEType string `json:"mimeType"`
		Text     string `json:"text,omitempty"`
		Blob     []byte `json:"blob,omitempty"`
	}
)

type (
	listResourcesOut struct {
		Resources []resource `json:"resources"`
	}
	listTemplatesOut struct {
		ResourceTemplates []resourceTemplate `json:"resourceTemplates"`
	}
	resourceIn struct {
		URI string `json:"uri"`
	}
	readResourceOut struct {
		Contents []contents `json:"contents"`
	}
)

// resourceMethods serve resources, which the library leaves to who has some.
func resourceMethods() []runtime.Method {
	ignore := runtime.Typed(func(context.Context, resourceIn) (struct{}, error) { return struct{}{}, nil })
	const lastWithSessions = "2025-11-25"
	return []runtime.Method{
		{Name: "resources/list", Capability: "resources", Handle: runtime.Typed(listResources)},
		{Name: "resources/templates/list", Capability: "resources", Handle: runtime.Typed(listTemplates)},
		{Name: "resources/read", Capability: "resources", Handle: runtime.Typed(readResource)},
		{Name: "resources/subscribe", Until: lastWithSessions, Capability: "resources.subscribe", Handle: ignore},
		{Name: "resources/unsubscribe", Until: lastWithSessions, Capability: "resources.subscribe", Handle: ignore},
	}
}

// listResources answers resources/list.
func listResources(context.Context, none) (listResourcesOut, error) {
	return listResourcesOut{Resources: []resource{
		{URI: "test://static-text", Name: "A text", MIMEType: "text/plain"},
		{URI: "test://static-binary", Name: "A picture", MIMEType: "image/png"},
		{URI: "test://watched-resource", Name: "A text that never changes", MIMEType: "text/plain"},
	}}, nil
}

// The template of the resources that are made as they are asked for.
const templateStart, templateEnd = "test://template/", "/data"

// listTemplates answers resources/templates/list.
func listTemplates(context.Context, none) (listTemplatesOut, error) {
	return listTemplatesOut{ResourceTemplates: []resourceTemplate{
		{URITemplate: templateStart + "{id}" + templateEnd, Name: "The data of an id", MIMEType: "text/plain"},
	}}, nil
}

// readResource answers resources/read.
func readResource(_ context.Context, in resourceIn) (readResourceOut, error) {
	switch in.URI {
	case "test://static-text", "test://watched-resource":
		return read(contents{URI: in.URI, MIMEType: "text/plain", Text: "This is the content of a text resource."}), nil
	case "test://static-binary":
		return read(contents{URI: in.URI, MIMEType: "image/png", Blob: dot()}), nil
	}
	id, isData := strings.CutPrefix(in.URI, templateStart)
	if id, ends := strings.CutSuffix(id, templateEnd); isData && ends {
		return read(contents{URI: in.URI, MIMEType: "text/plain", Text: "The data of " + id + "."}), nil
	}
	return readResourceOut{}, &runtime.Error{
		Code: runtime.CodeResourceNotFound, Message: "there is no such resource", Data: map[string]any{"uri": in.URI},
	}
}

// read returns contents of one part.
func read(c contents) readResourceOut { return readResourceOut{Contents: []contents{c}} }
