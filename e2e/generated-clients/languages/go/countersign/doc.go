// Package countersign is the client that oapi-codegen makes of the OpenAPI document.
package countersign
