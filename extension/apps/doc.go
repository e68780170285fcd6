// Package apps gives tools a view: an HTML document that hosts show next to the result of the tool, in a frame without
// network and without access to the host's page. It is the extension MCP Apps of the protocol, version 2026-01-26.
//
//	//go:embed chart.html
//	var views embed.FS
//
//	mcptool.Register(ShowChart, apps.View(views, "chart.html"))
//	mcptool.Register(ChartPoints, apps.Visibility(apps.AudienceApp)) // for the view, not for the model
//
// [View] is an option of a tool. It adds the document to the resources of the server, and its URI to the tool's _meta
// for clients that declare the extension. All other clients see the tool without the view, so its result must be as
// useful in text: describe in the content what the view shows.
//
// # What the view gets
//
// The host sends the arguments and the result of the call to the view, and the view can call tools of the same server
// through the host, among them those that the model does not get ([Visibility]). The protocol between view and host is
// JSON-RPC over postMessage; a view can speak it with the package @modelcontextprotocol/ext-apps, or by itself, as
// examples/chart does. The server is not involved: it cannot distinguish a call of a view from other calls of the same
// client, and authorizes both in the same way.
//
// Do not put secrets into the structured content or the _meta of a result: views get both, and some hosts show structured
// content to the model.
//
// # What the view may do
//
// The document is self-contained: scripts, styles and pictures are inside. By default the view can load nothing from
// the network, not even with an address relative to the document, because it has no address. [Connect], [Resources],
// [Frames] and [BaseURIs] ask the host for exceptions, and [Permit] for devices; a host need not grant them. It is a
// mistake at registration if the markup of the document loads anything from an origin that the options do not name.
// Loads of its scripts and styles are not checked.
//
// Hosts cache a view by its URI, so the URI contains a hash of the document and of the options.
//
// https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx
package apps
