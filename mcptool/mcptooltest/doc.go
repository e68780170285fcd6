// Package mcptooltest calls tools, prompts and resources from tests with Go values. A call takes the same steps as
// between a client and the func: both the arguments and the result are encoded as JSON, checked and decoded.
//
//	out := mcptooltest.Call[WeatherIn, WeatherOut](t, tool, WeatherIn{Location: "Lisbon"})
//	text := mcptooltest.Prompt[ReviewIn, string](t, prompt, ReviewIn{File: "main.go"})
//	order := mcptooltest.Read[Order](t, resource, "orders://7")
//
// For funcs that send requests to the client, such as questions to the user, a [Client] answers them, either while the
// func waits or by running it again:
//
//	user := &mcptooltest.Client{Answers: []any{Seat{Class: "1"}, true}, Replay: true}
//	out := mcptooltest.CallAs[BookIn, BookOut](t, user, tool, BookIn{From: "Lisbon", To: "Porto"})
//
// [PromptAs] and [ReadAs] do the same for prompts and resources. A Client can have a Principal and Scopes, and records
// the progress and the log records of funcs ([Client.ProgressReports], [Client.LogRecords]). [StartTask] runs a call as a
// task:
//
//	task := mcptooltest.StartTask(t, &mcptooltest.Client{}, tool, ExportIn{Year: 2026})
//	out := mcptooltest.AwaitTask[ExportOut](t, task)
//
// [Subscribe] subscribes to updates of resources and to changes of lists:
//
//	sub := mcptooltest.Subscribe(t, client, srv, "orders://7")
//	got := sub.Next(t)
//
// [HTTP] serves a server over HTTP, and returns a Client whose calls it answers, with access tokens, middleware and all:
//
//	client := mcptooltest.HTTP(t, srv, streamhttp.StaticTokens(tokens))
//
// # Everything at once
//
// [Check] calls all tools, prompts and resources of a registry through a server, in every revision of the protocol,
// with arguments generated from their schemas: at the limits of what fits, and just beyond them. [Bench] runs a
// benchmark of each tool. [Fuzz], [FuzzPrompt] and [FuzzResource] use the calls of Check as seeds:
//
//	func TestTools(t *testing.T)       { mcptooltest.Check(t, registry) }
//	func BenchmarkTools(b *testing.B)  { mcptooltest.Bench(b, registry) }
//	func FuzzGetWeather(f *testing.F)  { mcptooltest.Fuzz(f, weather) }
//
// They call without a principal; [Client.Check], [Client.Fuzz] and [Client.Bench] call as a client with principal, scopes and
// claims. Options add information that schemas do not contain: arguments that are known to be valid, the answers of a user, and
// which tools may run although they may destroy something.
//
// [AssertCompatible] compares the tools, prompts and resources with a snapshot and fails if a change breaks clients:
//
//	func TestCompatible(t *testing.T) { mcptooltest.AssertCompatible(t, registry, "tools.snapshot.json") }
//
// [Replay] repeats a recorded session of a client, and fails if the server sends other messages:
//
//	func TestSession(t *testing.T) { mcptooltest.Replay(t, srv, "testdata/session.txt") }
//
// [AssertFound] fails if a client that searches tools would not find the right ones for what users ask:
//
//	mcptooltest.AssertFound(t, registry, map[string][]string{"merge the open PR": {"merge_pull_request"}})
//
// [CheckComments] fails if the file that makes doc comments descriptions is out of date.
package mcptooltest
