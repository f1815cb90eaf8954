export { type Seeded, type SeedOptions, seedSandbox } from '../testing/seed-sandbox.ts'
export { SoftwareAuthenticator } from '../testing/software-authenticator.ts'
