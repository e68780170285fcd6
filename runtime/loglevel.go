package runtime

import (
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/jsonscan"
)

// logLevel is a level of the protocol's log: those of syslog, the least severe first.
type logLevel int32

const (
	noLogLevel logLevel = iota
	logDebug
	logInfo
	logNotice
	logWarning
	logError
	logCritical
	logAlert
	logEmergency

	// defaultLogLevel is what a legacy client is sent until it says what it wants.
	defaultLogLevel = logInfo
)

var logLevelNames = [...]string{
	noLogLevel: "", logDebug: "debug", logInfo: "info", logNotice: "notice", logWarning: "warning",
	logError: "error", logCritical: "critical", logAlert: "alert", logEmergency: "emergency",
}

func (l logLevel) String() string { return logLevelNames[l] }

// parseLogLevel reads a level from raw, a valid JSON value or nil. It returns
// noLogLevel when there is none of that name.
func parseLogLevel(raw []byte) logLevel {
	if jsonscan.KindOf(raw) != jsonscan.String {
		return noLogLevel
	}
	name := string(jsonscan.Unquote(raw))
	for l := logDebug; l <= logEmergency; l++ {
		if logLevelNames[l] == name {
			return l
		}
	}
	return noLogLevel
}

// logLevelOf returns the protocol's level for one of slog's. Slog's four names
// keep theirs; of the levels between and above, two over info is notice, and each
// four over error is one level more.
func logLevelOf(l slog.Level) logLevel {
	switch {
	case l < slog.LevelInfo:
		return logDebug
	case l < slog.LevelInfo+2:
		return logInfo
	case l < slog.LevelWarn:
		return logNotice
	case l < slog.LevelError:
		return logWarning
	default:
		return logError + logLevel(min((l-slog.LevelError)/4, slog.Level(logEmergency-logError)))
	}
}
