module example.com/backend

go 1.26

require (
	example.com/countersign/signing v0.0.0
	github.com/oapi-codegen/runtime v1.9.0
	github.com/standard-webhooks/standard-webhooks/libraries v0.0.1
)

replace example.com/countersign/signing => ./signing
