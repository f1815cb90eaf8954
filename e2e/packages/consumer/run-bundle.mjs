import { pathToFileURL } from 'node:url'

// A browser bundle has no environment variables.
globalThis.SETTINGS = { ...process.env }
await import(pathToFileURL(process.argv[2]))
