// Package transcript reads, writes and replays recorded sessions of a client with a server. A transcript is a text file
// that people can read, edit and compare, in the notation of the transcripts of package internal/testing/transcript:
//
//	%transcript 1
//	# recorded by bench record: bin/weather
//	%ignore result.structuredContent.time
//
//	-> {
//	  "jsonrpc": "2.0",
//	  "id": 1,
//	  "method": "tools/call",
//	  "params": {
//	    "name": "get_weather"
//	  }
//	}
//
//	<- {
//	  "jsonrpc": "2.0",
//	  …
//	}
//
// The first line has the version of the format. The client has sent the message after ->, and the server the one after
// <-; they are in the order in which they passed. A message ends at an empty line, or at a line that begins another part:
//
//	# …               a comment
//	%ignore PATH      values at this path may differ, in all messages of the server; see below
//	%ignore METHOD    notifications of this method, such as notifications/progress, may differ or be absent
//	%secret NAME      ${NAME} in messages is the value of this environment variable
//
// A path leads from a message to a value: result.tools[0].name, result._meta["example.com/time"]. The steps * and [*] are
// any one, and ** any number of steps. Text that is JSON is compared as JSON, and paths lead into it:
// result.content[0].text.time. Ids of requests, progress tokens and requestState may always differ. A text that differs at
// such a path is a handle: where the client repeats the recorded one, the replay sends the new one. The text "(hidden)",
// which replaces secrets, matches any text, and alone any number.
package transcript
