package lint

// listRules are the rules for prompts, resources, templates and contents.
var listRules = map[string]rule{
	"bad-entry":      {Error, "clients reject the whole list, or omit the entry", "write each member once, with the type that the protocol gives it", aboutResources},
	"no-prompt-name": {Error, "clients cannot get it", "name it", aboutPrompts},
	"same-prompt":    {Error, "which one clients get is undefined", "name each once", aboutPrompts},
	"bad-prompt-name": {
		Warning, "clients make commands of prompts, as /mcp__server__review, and in those only A-Z a-z 0-9 _ - . can be typed",
		"rename it, and write what people should read into the title", aboutCommands,
	},
	"long-prompt-name":            {Warning, "clients put the name of the server in front, and cut or refuse more than 64 characters", "shorten it to 40 or fewer", aboutCommands},
	"no-prompt-description":       {Warning, "a user sees only the name and description of a prompt", "describe in a sentence what it produces", aboutPrompts},
	"long-prompt":                 {Advice, "clients show it in a menu", "shorten the description to a sentence or two", ""},
	"no-argument-name":            {Error, "clients cannot pass it", "name it", aboutPrompts},
	"same-argument":               {Error, "which one applies is undefined", "name each once", aboutPrompts},
	"undescribed-prompt-argument": {Advice, "a user who is asked for it sees only the name", "add a description", aboutPrompts},

	"no-uri":           {Error, "clients cannot read it", "give it a URI with a scheme, such as note://7", aboutResources},
	"bad-uri":          {Error, "it is not an absolute URI (RFC 3986), and clients reject it, or the whole list", "begin with a scheme, and percent-encode all characters except A-Z a-z 0-9 and -._~:/?#[]@!$&'()*+,;=%", "https://www.rfc-editor.org/rfc/rfc3986"},
	"same-uri":         {Error, "which one is read is undefined", "list each URI once", aboutResources},
	"no-resource-name": {Error, "the protocol requires a name, and clients reject the entry", "name it", aboutResources},
	"no-resource-text": {Advice, "a user or a model who chooses among resources sees only the name", "describe in a sentence what it contains", aboutResources},
	"no-template-text": {Warning, "its variables are explained nowhere else", "describe in a sentence what it returns and what its variables mean", aboutResources},
	"long-resource":    {Advice, "clients show it in a list", "shorten the description to a sentence or two", ""},
	"web-uri": {
		Warning, "clients may fetch https: and http: URIs themselves, bypassing the server",
		"use another scheme, unless the URI can be fetched from the web as it is", aboutSchemes,
	},
	"bad-mime":       {Warning, "it is not a MIME type, and clients show the contents as plain text or not at all", "write it as in text/markdown or image/png", aboutMIME},
	"bad-annotation": {Warning, "clients ignore it, or reject the entry", "see what the protocol allows", aboutResources},
	"view-mime":      {Error, "hosts show a view only if its MIME type is exactly text/html;profile=mcp-app", "write that", aboutViews},
	"view-uri":       {Error, "hosts show only views whose URI begins with ui://", "serve the view under such a URI", aboutViews},

	"bad-template":  {Error, "it is not a URI template (RFC 6570), and clients cannot expand it", "correct it", aboutTemplates},
	"high-template": {Warning, "many clients expand only {var}, {+var}, {?a,b} and {&a,b}", "write it with those", aboutTemplates},
	"no-variables":  {Warning, "without variables it is not a template, and clients offer nothing to fill in", "list it as a resource", aboutResources},
	"same-template": {Error, "which one is used is undefined", "list each template once", aboutResources},
	"heavy-list":    {Advice, "clients load the whole list before a choice is made", "list less, and serve the rest by a template", ""},
	"not-readable":  {Error, "it is listed but cannot be read", "serve it, or take it off the list", aboutResources},
	"no-contents":   {Error, "clients see neither contents nor an error", "answer with its contents, or refuse with an error", aboutResources},
	"other-mime":    {Warning, "clients use the list to decide whether they can show it, and the contents to decide how", "write the same MIME type into both", aboutResources},
	"no-mime":       {Advice, "clients have to guess what the contents are", "give the contents a MIME type", aboutResources},
	"text-as-blob":  {Warning, "models get a blob as a file or not at all, but text directly", "send it as text", aboutResources},
	"bad-blob":      {Error, "the blob is not base64 (RFC 4648, section 4), and clients cannot decode it", "encode it in base64 with padding", aboutResources},
	"other-size":    {Warning, "clients use it to decide whether to load the contents", "write the size in bytes, before base64, or leave it out", aboutResources},
}
