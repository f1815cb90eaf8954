import { pathToFileURL } from 'node:url'

// A bundle for browsers has no environment.
globalThis.SETTINGS = { ...process.env }
await import(pathToFileURL(process.argv[2]))
