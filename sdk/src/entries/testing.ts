export { type Seeded, type SeedOptions, seedSandbox } from '../seed/seed-sandbox.ts'
export { SoftwareAuthenticator } from '../software-authenticator.ts'
