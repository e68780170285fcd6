package main

import "encoding/json"

// The parts of messages that this server uses.
type (
	request struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}

	params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Meta      struct {
			Protocol string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	}

	response struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result,omitempty"`
		Error   *rpcError       `json:"error,omitempty"`
	}

	rpcError struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}

	callResult struct {
		Content    []textBlock     `json:"content"`
		Structured json.RawMessage `json:"structuredContent,omitempty"`
		IsError    bool            `json:"isError,omitempty"`
		modern
	}

	textBlock struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}

	listResult struct {
		Tools []tool `json:"tools"`
		modern
	}

	tool struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Input       json.RawMessage `json:"inputSchema"`
		Output      json.RawMessage `json:"outputSchema"`
	}

	initializeResult struct {
		Protocol     string         `json:"protocolVersion"`
		Capabilities map[string]any `json:"capabilities"`
		Server       implementation `json:"serverInfo"`
	}

	discoverResult struct {
		Versions     []string       `json:"supportedVersions"`
		Capabilities map[string]any `json:"capabilities"`
		modern
	}

	implementation struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}

	// modern has the members of results since revision 2026-07-28.
	modern struct {
		Type string `json:"resultType,omitempty"`
		Meta *meta  `json:"_meta,omitempty"`
	}

	meta struct {
		Server implementation `json:"io.modelcontextprotocol/serverInfo"`
	}
)
