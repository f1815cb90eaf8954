export { SoftwareAuthenticator } from '../software-authenticator.ts'
