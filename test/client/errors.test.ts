import { ERROR_CODES, GatewayError, isLasting, reported, type ErrorCode } from '../../client/errors'

describe('each code of an error', () => {
  const among = (...codes: ErrorCode[]): ErrorCode[] => codes
  const those = (isSo: (error: GatewayError) => boolean): ErrorCode[] =>
    ERROR_CODES.filter((code) => isSo(new GatewayError(code, 'It failed.')))
  const about = { name: 'update-route', changes: true, route: 'Studio A' }
  const said = (error: GatewayError): string => reported(error, about).message

  it('says whether to try again', () => {
    those(({ cause }) => cause.retryable).should.eql(
      among('TOO_MANY_SESSIONS', 'UNAVAILABLE', 'TIMEOUT', 'CLOSED'),
    )
  })

  it('says whether a change may have been made', () => {
    those(({ cause }) => cause.applied === 'maybe').should.eql(
      among('OUTCOME_UNKNOWN', 'NOT_CONFIRMED'),
    )
    those(({ cause }) => cause.applied === 'yes').should.eql([])
  })

  it('says whether it will last', () => {
    those(isLasting).should.eql(
      among('CONFIG', 'INVALID_INPUT', 'LOGIN_REFUSED', 'FORBIDDEN', 'NOT_FOUND', 'TLS'),
    )
  })

  it('says whether it is about the route', () => {
    those((error) => !said(error).includes('Studio A')).should.eql(
      among('CONFIG', 'READ_ONLY', 'LOGIN_REFUSED', 'TOO_MANY_SESSIONS', 'TLS'),
    )
  })

  it('says whether that nothing was changed has to be said', () => {
    those((error) => said(error).includes('Nothing was changed.')).should.eql(
      among(
        'LOGIN_REFUSED',
        'TOO_MANY_SESSIONS',
        'UNAVAILABLE',
        'TIMEOUT',
        'TLS',
        'BAD_RESPONSE',
        'CLOSED',
      ),
    )
  })
})
