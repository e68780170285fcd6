package lint

// listRules are the rules for prompts, resources, templates and contents.
var listRules = map[string]rule{
	"bad-entry":      {Error, "clients refuse the whole list, or leave the entry out", "write each member once, with the type that the protocol gives it", aboutResources},
	"no-prompt-name": {Error, "nothing can get it", "name it", aboutPrompts},
	"same-prompt":    {Error, "which of them is got is chance", "name each once", aboutPrompts},
	"bad-prompt-name": {
		Warning, "clients make commands of prompts, as /mcp__server__review, and in those only A-Z a-z 0-9 _ - . can be typed",
		"rename it, and write what people should read into the title", aboutCommands,
	},
	"long-prompt-name":            {Warning, "clients put the name of the server in front, and cut or refuse more than 64 characters", "shorten it to 40 or fewer", aboutCommands},
	"no-prompt-description":       {Warning, "all that a user sees of a prompt is its name and the description", "say in a sentence what comes of it", aboutPrompts},
	"long-prompt":                 {Advice, "clients show it in a menu", "shorten the description to a sentence or two", ""},
	"no-argument-name":            {Error, "nobody can give it", "name it", aboutPrompts},
	"same-argument":               {Error, "which of them counts is chance", "name each once", aboutPrompts},
	"undescribed-prompt-argument": {Advice, "a user who is asked for it sees only the name", "add a description", aboutPrompts},

	"no-uri":           {Error, "nothing can read it", "give it a URI with a scheme, such as note://7", aboutResources},
	"bad-uri":          {Error, "it is no absolute URI (RFC 3986), and clients refuse it, or the whole list", "begin with a scheme, and percent-encode what is none of A-Z a-z 0-9 and -._~:/?#[]@!$&'()*+,;=%", "https://www.rfc-editor.org/rfc/rfc3986"},
	"same-uri":         {Error, "which of them is read is chance", "list each URI once", aboutResources},
	"no-resource-name": {Error, "the protocol wants a name, and clients refuse the entry", "name it", aboutResources},
	"no-resource-text": {Advice, "a user or a model who chooses among resources sees only the name", "say in a sentence what is in it", aboutResources},
	"no-template-text": {Warning, "what its variables mean stands nowhere else", "say in a sentence what it makes, and of what", aboutResources},
	"long-resource":    {Advice, "clients show it in a list", "shorten the description to a sentence or two", ""},
	"web-uri": {
		Warning, "clients may fetch https: and http: URIs themselves, past the server",
		"use another scheme, unless the URI can be fetched from the web as it is", aboutSchemes,
	},
	"bad-mime":       {Warning, "it is no MIME type, and clients show the contents as plain text or not at all", "write it as in text/markdown or image/png", aboutMIME},
	"bad-annotation": {Warning, "clients ignore it, or refuse the entry", "see what the protocol allows", aboutResources},
	"view-mime":      {Error, "hosts show a view only if its MIME type is exactly text/html;profile=mcp-app", "write that", aboutViews},
	"view-uri":       {Error, "hosts show only views whose URI begins with ui://", "serve the view under such a URI", aboutViews},

	"bad-template":  {Error, "it is no URI template (RFC 6570), and no client can expand it", "correct it", aboutTemplates},
	"high-template": {Warning, "many clients expand only {var}, {+var}, {?a,b} and {&a,b}", "write it with those", aboutTemplates},
	"no-variables":  {Warning, "without variables it is no template, and clients offer nothing to fill in", "list it as a resource", aboutResources},
	"same-template": {Error, "which of them is used is chance", "list each template once", aboutResources},
	"heavy-list":    {Advice, "clients load the whole list before anybody chooses from it", "list less, and serve the rest by a template", ""},
	"not-readable":  {Error, "it is listed, and cannot be read", "serve it, or take it off the list", aboutResources},
	"no-contents":   {Error, "for a client it looks as if it were not there, and is no error either", "answer with its contents, or refuse with an error", aboutResources},
	"other-mime":    {Warning, "clients decide by the list whether they can show it, and by the contents how", "write the same MIME type into both", aboutResources},
	"no-mime":       {Advice, "clients have to guess what the contents are", "give the contents a MIME type", aboutResources},
	"text-as-blob":  {Warning, "models get a blob as a file or not at all, and a text as text", "send it as text", aboutResources},
	"bad-blob":      {Error, "the blob is not base64 (RFC 4648, section 4), and nobody can decode it", "encode it in base64 with padding", aboutResources},
	"other-size":    {Warning, "clients decide by it whether they load the contents", "write the size in bytes, before base64, or leave it out", aboutResources},
}
