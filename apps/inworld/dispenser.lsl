// Dispenser of the Store Integration Service, protocols SIS1 (deliveries) and SIS1-RESOLVE (names of avatars).
//
// Put this script into one object together with the items of your store and a notecard named "dispenser" that holds
//
//     service = https://the.address.of.your.service
//     key = sis_live_...
//
// The key needs the scope dispenser:register and no other. A second object in the region with the same notecard stands by.
// One with a name of its own (name = second, priority = 1) is asked for what the first lacks, or while it is gone.
// See README.md beside this file.

string TITLE = "Box";
string VERSION = "0.1.0";
string NOTECARD = "dispenser";
string SETTINGS = "service = https://..., key = sis_live_..., name = main, priority = 0 (to 9)";
list SCOPES = ["dispenser:register"];

// The colour of the text above it: red, green and blue, each from 0 to 1.
vector COLOR = <1.0, 1.0, 1.0>;

// ---- Shared: this part is the same in all scripts of this folder, since LSL has no imports. ----

string gService;
string gKey;
string gHover;
integer gLine;
key gLineQuery;
// A letter of another alphabet in the address or the key.
string gOdd;
// When the notecard was put into the object: one that was edited has another time.
string gNotecard;
key gKeyCheck;
list gTold;

// The text above the object, unless the notecard switches it off.
show(string text)
{
    if (gHover == "off") text = "";
    llSetText(text, COLOR, 1.0);
}

// The owner hears each trouble once, offline as well.
complain(string text)
{
    string known = llGetSubString(text, 0, 59);
    if (llListFindList(gTold, [known]) >= 0) return;
    if (llGetListLength(gTold) >= 10) gTold = [];
    gTold += known;
    llInstantMessage(llGetOwner(), TITLE + ": " + text);
}

// A trouble that keeps the object from its work stands above it as well.
stop(string text)
{
    show(TITLE + ": " + text);
    complain(text);
}

// Tells the owner who touches the object the facts that only the virtual world knows.
report(string text)
{
    llOwnerSay(TITLE + " " + VERSION + ": " + text + " Memory: " + (string)llGetUsedMemory() + "; linkset data free: "
        + (string)llLinksetDataAvailable() + ".");
}

// A JSON string. llList2Json is not used: it takes a text such as "[lamp]" for an array.
string quoted(string text)
{
    text = llReplaceSubString(text, "\\", "\\\\", 0);
    text = llReplaceSubString(text, "\"", "\\\"", 0);
    text = llReplaceSubString(text, "\n", " ", 0);
    return "\"" + text + "\"";
}

// A call of the service; NULL_KEY if the region lets no more through now.
key call(string method, string path, string body, list more)
{
    return llHTTPRequest(gService + path, [
        HTTP_METHOD, method,
        HTTP_MIMETYPE, "application/json",
        HTTP_CUSTOM_HEADER, "X-API-Key", gKey
    ] + more, body);
}

// Every live key may ask what it may do. The reason of most refusals does not reach a script, which sees 415 in its place.
askKey()
{
    gKeyCheck = call("GET", "/v1/store", "", []);
}

integer isKeyFault(integer status)
{
    return status == 401 || status == 403 || status == 415;
}

// Says from the answer to askKey what is wrong with the key; empty if nothing is.
string keyFault(integer status, string body)
{
    if (isKeyFault(status))
        return "the service refuses the key, or is busy.";
    string scopes = llJsonGetValue(body, ["key", "scopes"]);
    if (status != 200 || scopes == JSON_INVALID)
        return "no answer (" + (string)status + "). Is the address right?";
    integer i;
    for (i = 0; i < llGetListLength(SCOPES); ++i)
    {
        string scope = llList2String(SCOPES, i);
        if (llSubStringIndex(scopes, quoted(scope)) < 0)
            return "the key lacks " + scope + ". Ask for one with the preset " + NOTECARD + ".";
    }
    return "";
}

// An address or a key without the quotes, brackets, blanks and signs that nobody sees, which people paste along.
string plain(string text)
{
    string left;
    integer at;
    integer code = 1;
    while (code)
    {
        code = llOrd(text, at);
        string sign = llGetSubString(text, at, at);
        if (code > 44 && code < 123 && code != 60 && code != 62) left += sign;
        // A letter of another script may look like one of ours.
        else if (code > 191 && code < 8192) gOdd = sign;
        ++at;
    }
    return left;
}

// A line is blank, a comment that begins with #, or a name, = and a value.
readLine(string line)
{
    line = llStringTrim(line, STRING_TRIM);
    if (line == "" || llGetSubString(line, 0, 0) == "#") return;
    integer equals = llSubStringIndex(line, "=");
    string name = "";
    if (equals > 0) name = llToLower(llStringTrim(llGetSubString(line, 0, equals - 1), STRING_TRIM));
    string value = llStringTrim(llDeleteSubString(line, 0, equals), STRING_TRIM);
    if (name == "service")
    {
        // People copy a slash along, the /v1 of the API's paths, or the address of the desk.
        gService = plain(llList2String(llParseString2List(value + "/", ["/v1/", "/desk/", "/#"], []), 0));
        while (llGetSubString(gService, -1, -1) == "/") gService = llDeleteSubString(gService, -1, -1);
    }
    else if (name == "key") gKey = plain(value);
    else if (name == "hover" && (llToLower(value) == "on" || llToLower(value) == "off")) gHover = llToLower(value);
    else if (!isSetting(name, value))
        complain("line " + (string)(gLine + 1) + " of the notecard is none of " + SETTINGS + ", hover = on or off.");
}

openNotecard()
{
    if (llGetInventoryType(NOTECARD) != INVENTORY_NOTECARD)
    {
        stop("put a notecard named \"" + NOTECARD + "\" into this object.");
        return;
    }
    gNotecard = llGetInventoryAcquireTime(NOTECARD);
    gLineQuery = llGetNotecardLine(NOTECARD, gLine);
    // A line may never come: the timer asks for it again while there is a query.
    llSetTimerEvent(10.0);
}

// Takes a line, and all behind it that the region has at hand: a reset between them would lose the former key. True behind
// the last one, if the notecard is complete and the object may work here.
integer isRead(string line)
{
    while (line != EOF)
    {
        // A longer line is none that it knows, and would take too much memory.
        readLine(llGetSubString(line, 0, 254));
        ++gLine;
        line = llGetNotecardLineSync(NOTECARD, gLine);
        if (line == NAK)
        {
            gLineQuery = llGetNotecardLine(NOTECARD, gLine);
            return FALSE;
        }
    }
    gLineQuery = "";
    if (gOdd) stop("the address or the key has the sign \"" + gOdd + "\" in it.");
    else if (gService == "" || gKey == "") stop("the notecard lacks \"service = ...\" or \"key = ...\".");
    // Without encryption anybody on the way could read the key.
    else if (llToLower(llGetSubString(gService, 0, 7)) != "https://")
        stop("the address in the notecard must begin with https://.");
    // The L$ of the test grid are play money, and nothing that is given there lasts.
    else if (llSubStringIndex(llGetEnv("simulator_hostname"), "aditi") >= 0)
        stop("it works on the main grid alone.");
    else return TRUE;
    gService = "";
    return FALSE;
}

// A new notecard, or the first one. Other contents change without a reset.
integer isOtherNotecard(integer change)
{
    if (!(change & CHANGED_INVENTORY) || llGetInventoryType(NOTECARD) != INVENTORY_NOTECARD) return FALSE;
    return llGetInventoryAcquireTime(NOTECARD) != gNotecard;
}

// ---- End of the shared part. ----

// The text above the box, unless the notecard is wrong.
string gStatus;

say(string text)
{
    gStatus = text;
    show(text);
}

fail(string text)
{
    gStatus = text;
    stop(text);
}

// The script refuses older requests, in seconds, so that nobody can replay a recorded one. The limit is longer than the
// 64 requests that may wait for this script take.
integer MAX_AGE = 300;

// The script registers again so often, in seconds. The service then sends the waiting deliveries. An address may die without a
// word, so one at which nobody called for so long is replaced. It looks every CHECK seconds.
integer RENEW = 3600;
float CHECK = 600.0;
float RETRY = 60.0;

// Two boxes with the same key and name in a region talk on a channel that these make. One is active. The other asks for it every
// WATCH seconds, and takes over after SILENCE seconds without a word. A box listens for ELECTION seconds before it begins.
float ELECTION = 5.0;
float WATCH = 20.0;
integer SILENCE = 90;
integer STANDBY_AGE = 60;
integer STANDBY_LASTS = 600;

// The pause after a change of the contents, in seconds: a merchant who drops a hundred items in makes a hundred changes.
float SETTLE = 10.0;

// The longest list of item names, in characters, for which there is memory: each takes two bytes, three times over.
integer NAMES = 2000;

// The region looks up 20 names at once and 1.9 a second for all scripts of one owner. Even two spans of five seconds in
// a row stay below that.
integer LOOK_UPS_IN_SPAN = 9;
integer SPAN = 5;

// So many look-ups may wait for the region, and so many seconds. It gives a request up itself after 25.
integer LOOK_UPS = 16;
integer LOOK_UP_SECONDS = 20;

// The ids of past deliveries live in the object's linkset data (128 KiB, about 2,700 deliveries), which survives a reset of
// this script and a restart of the region. It forgets the oldest where there is less room than the reserve, but keeps some:
// other scripts of the object use that memory too.
string MEMORY = "sis:d:";
integer MEMORY_RESERVE = 4096;
integer MEMORY_LEAST = 500;

// The order in which deliveries were given, for so many seconds: a box that was away for a while asks what it missed.
string RECENT = "sis:r:";
integer RECENT_LASTS = 600;

// So many ids fit into one message of a region's chat.
integer IDS = 20;

string READY = "Box: ready.";
string STANDBY = "Box: standing by: another box is active.";

// The name of this box among those of the store, and its place: 0 is asked first.
string gName = "main";
string gPriority = "0";

string gSecret;
string gUrl;
string gOldUrl;
string gRest;
integer gGiven;
integer gRegisteredAt;
integer gSettling;
integer gConfirmed;
integer gCalledAt;
integer gAskedAt;
key gUrlRequest;
key gRegistration;
integer gChannel;
integer gActive;
integer gHeardActive;
integer gHeardStandby;

// Up to this time the box has heard of everything that the other gave.
integer gCaughtUp;

// Look-ups under way, the oldest first: the region's query, the service's request, when it came, and what it asked.
list gLookUps;
integer STRIDE = 4;
integer gSpan;
integer gInSpan;

integer isSetting(string name, string value)
{
    if (name == "name" && value != "") gName = value;
    else if (name == "priority" && llStringLength(value) == 1 && llSubStringIndex("0123456789", value) >= 0) gPriority = value;
    else return FALSE;
    return TRUE;
}

// A notecard with a line "key = ..." is an object's settings, and nothing to give away. Names of notecards that have been
// read, each with whether it has such a line, and the one that is being read.
list gCards;
string gCard;
integer gCardLine;
integer gCardAt;
key gCardQuery;

integer isItem(string name)
{
    integer place = llListFindList(gCards, [name]);
    if (place >= 0 && llList2Integer(gCards, place + 1)) return FALSE;
    return llGetInventoryType(name) != INVENTORY_NONE && name != NOTECARD && name != llGetScriptName();
}

// True for what is no notecard, or one that has been read. Begins to read another.
integer isKnown(string name)
{
    if (llGetInventoryType(name) != INVENTORY_NOTECARD || name == NOTECARD || llListFindList(gCards, [name]) >= 0) return TRUE;
    // A line that the region has not brought for a minute never comes: another notecard may have its turn.
    if (gCard == "" || llGetUnixTime() - gCardAt >= RETRY)
    {
        gCard = name;
        gCardLine = 0;
        askCardLine();
    }
    return FALSE;
}

askCardLine()
{
    gCardAt = llGetUnixTime();
    gCardQuery = llGetNotecardLine(gCard, gCardLine);
}

cardRead(string line)
{
    integer equals = llSubStringIndex(line, "=");
    string name = "";
    if (equals > 0) name = llToLower(llStringTrim(llGetSubString(line, 0, equals - 1), STRING_TRIM));
    if (line != EOF && name != "key")
    {
        ++gCardLine;
        askCardLine();
        return;
    }
    gCards += [gCard, name == "key"];
    gCard = "";
}

// The names of all items, for the doctor of the operator, or none at all if they are too many.
string itemNames()
{
    string names;
    integer count = llGetInventoryNumber(INVENTORY_ALL);
    integer i;
    for (i = 0; i < count; ++i)
    {
        string name = llGetInventoryName(INVENTORY_ALL, i);
        if (isItem(name))
        {
            if (names != "") names += ",";
            names += quoted(name);
            if (llStringLength(names) > NAMES) return "[]";
        }
    }
    return "[" + names + "]";
}

requestUrl()
{
    llSetTimerEvent(RETRY);
    gAskedAt = llGetUnixTime();
    gUrlRequest = llRequestSecureURL();
}

register()
{
    string body = "{\"url\":" + quoted(gUrl) + ",\"name\":" + quoted(gName) + ",\"priority\":" + gPriority
        + ",\"region\":" + quoted(llGetRegionName())
        + ",\"items\":" + itemNames() + "}";
    // If no answer comes, the timer tries again.
    llSetTimerEvent(RETRY);
    gRegisteredAt = llGetUnixTime();
    gSettling = FALSE;
    gConfirmed = FALSE;
    gRegistration = call("PUT", "/v1/dispenser", body, []);
}

// Takes the first line off gRest.
string takeLine()
{
    integer end = llSubStringIndex(gRest, "\n");
    string line = "";
    if (end < 0)
    {
        line = gRest;
        gRest = "";
        return line;
    }
    if (end > 0) line = llGetSubString(gRest, 0, end - 1);
    gRest = llDeleteSubString(gRest, 0, end);
    return line;
}

// Makes room for a delivery. The ids begin with their time, so the first names in order are the oldest.
integer canRemember()
{
    if (llLinksetDataAvailable() >= MEMORY_RESERVE) return TRUE;
    if (llLinksetDataCountFound("^" + MEMORY) > MEMORY_LEAST)
    {
        list oldest = llLinksetDataFindKeys("^" + MEMORY, 0, 50);
        integer i;
        for (i = 0; i < llGetListLength(oldest); ++i) llLinksetDataDelete(llList2String(oldest, i));
    }
    return llLinksetDataAvailable() >= 512;
}

// Records a delivery.
remember(string id)
{
    if (llLinksetDataRead(MEMORY + id) != "") return;
    canRemember();
    llLinksetDataWrite(MEMORY + id, "1");
    llLinksetDataWrite(RECENT + (string)llGetUnixTime() + ":" + id, "1");
    list past = llLinksetDataFindKeys("^" + RECENT, 0, 2);
    integer i;
    for (i = 0; i < llGetListLength(past); ++i)
        if (llGetUnixTime() - givenAt(llList2String(past, i)) > RECENT_LASTS) llLinksetDataDelete(llList2String(past, i));
}

integer givenAt(string recent)
{
    return (integer)llGetSubString(recent, 6, 15);
}

// Tells the other box. The signature keeps strangers on the channel from being believed.
tellOther(string word, string text)
{
    string message = word + "\n" + (string)llGetUnixTime() + "\n" + text;
    llRegionSay(gChannel, llHMAC(gKey, message, "sha256") + "\n" + message);
}

// Tells the other box what this one has given or heard of since then, and up to when that is all.
catchUp(integer since)
{
    integer start;
    integer found = IDS;
    while (found == IDS)
    {
        list page = llLinksetDataFindKeys("^" + RECENT, start, IDS);
        found = llGetListLength(page);
        integer until = llGetUnixTime();
        string ids = "";
        integer i;
        for (i = 0; i < found; ++i)
        {
            string recent = llList2String(page, i);
            if (found == IDS) until = givenAt(recent);
            if (givenAt(recent) >= since) ids += "," + llGetSubString(recent, 17, -1);
        }
        if (ids != "" || found < IDS) tellOther("recent", (string)until + ids);
        start += IDS;
    }
}

// The other box delivers, and this one remembers what it has given.
standBy()
{
    if (gUrl != "") llReleaseURL(gUrl);
    if (gOldUrl != "") llReleaseURL(gOldUrl);
    gUrl = "";
    gOldUrl = "";
    gUrlRequest = NULL_KEY;
    gRegistration = NULL_KEY;
    gActive = FALSE;
    say(STANDBY);
    llSetTimerEvent(WATCH);
}

deliver(key request, string id)
{
    key recipient = (key)takeLine();
    integer expires = (integer)takeLine();
    string item = takeLine();
    string note = gRest;

    if (llLinksetDataRead(MEMORY + id) != "")
    {
        llHTTPResponse(request, 200, "known " + id);
        return;
    }
    if (llGetUnixTime() > expires)
    {
        llHTTPResponse(request, 422, "expired");
        return;
    }
    if (!isKnown(item))
    {
        llHTTPResponse(request, 503, "reading");
        return;
    }
    if (!isItem(item))
    {
        llHTTPResponse(request, 422, "no such item");
        complain("there is no item \"" + item + "\" to deliver. Put one of exactly that name into this object, or correct the product.");
        return;
    }
    if (!(llGetInventoryPermMask(item, MASK_OWNER) & PERM_TRANSFER))
    {
        llHTTPResponse(request, 422, "not transferable");
        complain("\"" + item + "\" may not be transferred. Put one with the transfer permission in its place.");
        return;
    }
    if (!canRemember())
    {
        llHTTPResponse(request, 503, "no memory");
        complain("other scripts have filled this object's memory. It delivers nothing until there is room, since it could give things twice. Take them out.");
        return;
    }
    // The gift comes before the record: a crash of the region between them gives an item twice rather than never.
    llGiveInventory(recipient, item);
    remember(id);
    if (standbyIsThere()) tellOther("given", id);
    ++gGiven;
    llHTTPResponse(request, 200, "given " + id);
    if (note != "") llInstantMessage(recipient, note);
}

integer isKey(string text)
{
    if ((key)text) return TRUE;
    return FALSE;
}

integer mayLookUp()
{
    integer time = llGetUnixTime();
    if (llAbs(time - gSpan) >= SPAN)
    {
        gSpan = time;
        gInSpan = 0;
    }
    if (gInSpan >= LOOK_UPS_IN_SPAN) return FALSE;
    if (llGetListLength(gLookUps) >= LOOK_UPS * STRIDE) return FALSE;
    ++gInSpan;
    return TRUE;
}

// Asks the region whose name or UUID it is, online or not. Its answer is a dataserver event.
resolve(key request)
{
    string name = takeLine();
    // It gives up what the region has not answered, which never answers for a UUID that is no avatar's.
    while (llGetListLength(gLookUps) > 0 && llGetUnixTime() - llList2Integer(gLookUps, 2) >= LOOK_UP_SECONDS)
    {
        llHTTPResponse(llList2Key(gLookUps, 1), 503, "no answer");
        gLookUps = llDeleteSubList(gLookUps, 0, STRIDE - 1);
    }
    if (!mayLookUp())
    {
        llHTTPResponse(request, 503, "too many look-ups");
        return;
    }
    key query;
    if (isKey(name)) query = llRequestUsername(name);
    else query = llRequestUserKey(name);
    if (query == NULL_KEY)
    {
        llHTTPResponse(request, 503, "the region looks nothing up");
        return;
    }
    gLookUps += [query, request, llGetUnixTime(), name];
}

// Answers the look-up at that place of the list with what the region found.
resolved(integer place, string found)
{
    key request = llList2Key(gLookUps, place + 1);
    string name = llList2String(gLookUps, place + 3);
    gLookUps = llDeleteSubList(gLookUps, place, place + STRIDE - 1);
    if (isKey(name))
    {
        // A username as the service writes it: ada.lovelace, or ada for Ada Resident.
        found = llReplaceSubString(llToLower(llStringTrim(found, STRING_TRIM)), " ", ".", 0);
        if (llGetSubString(found, -9, -1) == ".resident") found = llDeleteSubString(found, -9, -1);
        // The region says ??? for a name that it cannot get now.
        if (found == "" || llSubStringIndex(found, "?") >= 0) llHTTPResponse(request, 503, "no name");
        else llHTTPResponse(request, 200, name + " " + found);
    }
    else if (isKey(found)) llHTTPResponse(request, 200, found + " " + name);
    else llHTTPResponse(request, 200, "-");
}

integer standbyIsThere()
{
    return llGetUnixTime() - gHeardStandby < STANDBY_LASTS;
}

integer rank(string box)
{
    return (integer)("0x" + llGetSubString(box, 0, 6));
}

// A word of the other box.
hear(string message)
{
    gRest = message;
    if (llHMAC(gKey, llDeleteSubString(message, 0, llSubStringIndex(message, "\n")), "sha256") != takeLine()) return;
    string word = takeLine();
    if (llAbs(llGetUnixTime() - (integer)takeLine()) > MAX_AGE) return;
    if (word == "who")
    {
        gHeardStandby = llGetUnixTime();
        if (!gActive) return;
        tellOther("active", (string)llGetKey());
        catchUp((integer)gRest);
        return;
    }
    gHeardActive = llGetUnixTime();
    if (word == "given") remember(gRest);
    else if (word == "recent")
    {
        list ids = llParseString2List(gRest, [","], []);
        gCaughtUp = llList2Integer(ids, 0);
        integer i;
        for (i = 1; i < llGetListLength(ids); ++i) remember(llList2String(ids, i));
    }
    else if (word == "active" && gActive)
    {
        // Both are: the one with the lower key stays, and makes sure that the service knows its address.
        if (rank(llGetKey()) > rank(gRest))
        {
            catchUp(gCaughtUp);
            standBy();
        }
        else if (gUrl != "") register();
    }
}

// It never answers 404 or 410, which tell the service that this address is gone.
serve(key request, string body)
{
    if (gSecret == "" || !gActive)
    {
        llHTTPResponse(request, 503, "not ready");
        return;
    }
    gRest = body;
    string signature = takeLine();
    if (llHMAC(gSecret, gRest, "sha256") != signature)
    {
        llHTTPResponse(request, 401, "bad signature");
        // The secret may be another one by now, which the answer to a registration says.
        if (llGetUnixTime() - gRegisteredAt >= RETRY) register();
        return;
    }
    string protocol = takeLine();
    integer at = (integer)takeLine();
    string id = takeLine();
    if (protocol != "SIS1" && protocol != "SIS1-RESOLVE")
    {
        llHTTPResponse(request, 400, "unknown protocol");
        return;
    }
    // A box that the region froze wakes up with old requests, which its standby may have been sent too by then. It takes
    // none that is older than the standby's patience.
    integer age = llAbs(llGetUnixTime() - at);
    if (age > MAX_AGE || (age > STANDBY_AGE && standbyIsThere()))
    {
        llHTTPResponse(request, 408, "too old");
        return;
    }
    if (protocol == "SIS1") deliver(request, id);
    else resolve(request);
}

default
{
    state_entry()
    {
        openNotecard();
    }

    on_rez(integer start)
    {
        llResetScript();
    }

    dataserver(key query, string data)
    {
        integer place = llListFindList(gLookUps, [query]);
        if (place >= 0)
        {
            resolved(place, data);
            return;
        }
        if (query == gCardQuery) cardRead(data);
        if (query != gLineQuery) return;
        if (!isRead(data)) return;
        // A box of another name is no standby of this one.
        string pair = gService + gKey;
        if (gName != "main") pair += gName;
        gChannel = (integer)("0x" + llGetSubString(llSHA256String(pair), 0, 6)) | 0x80000000;
        llListen(gChannel, "", NULL_KEY, "");
        say("Box: looking for another box.");
        tellOther("who", "0");
        llSetTimerEvent(ELECTION);
    }

    listen(integer channel, string name, key id, string message)
    {
        hear(message);
    }

    http_request(key request, string method, string body)
    {
        if (request == gUrlRequest)
        {
            gUrlRequest = NULL_KEY;
            if (method == URL_REQUEST_DENIED && gUrl != "") register();
            else if (method == URL_REQUEST_DENIED)
            {
                fail("the region has no address left for scripts. Move this object to another region, or remove other scripts that use addresses. Next try in a minute.");
                return;
            }
            if (method != URL_REQUEST_GRANTED) return;
            // The service may still call at the old one until it knows the new one.
            if (gOldUrl != "") llReleaseURL(gOldUrl);
            gOldUrl = gUrl;
            gUrl = body;
            gCalledAt = llGetUnixTime();
            register();
            return;
        }
        if (method == URL_REQUEST_GRANTED)
        {
            // It came too late: another one was asked for.
            llReleaseURL(body);
            return;
        }
        gCalledAt = llGetUnixTime();
        if (method != "POST")
        {
            llHTTPResponse(request, 405, "POST only");
            return;
        }
        serve(request, body);
    }

    http_response(key request, integer status, list metadata, string body)
    {
        if (request == gKeyCheck)
        {
            string fault = keyFault(status, body);
            if (fault == "") fault = "the service refuses the registration, or is busy. Next try in a minute.";
            fail(fault);
            return;
        }
        if (request != gRegistration) return;
        gRegistration = NULL_KEY;
        if (isKeyFault(status))
        {
            askKey();
            return;
        }
        if (status != 200)
        {
            string detail = llJsonGetValue(body, ["detail"]);
            if (detail == JSON_INVALID) detail = "";
            fail("the service answered " + (string)status + ". Next try in a minute. " + detail);
            return;
        }
        string secret = llJsonGetValue(body, ["secret"]);
        if (secret == JSON_INVALID || secret == "")
        {
            fail("the service answered without a secret. Next try in a minute.");
            return;
        }
        if (gStatus != READY)
        {
            gTold = [];
            say(READY);
            llOwnerSay(READY);
            tellOther("active", (string)llGetKey());
        }
        if (gOldUrl != "") llReleaseURL(gOldUrl);
        gOldUrl = "";
        gSecret = secret;
        gConfirmed = TRUE;
        llSetTimerEvent(CHECK);
        if (llJsonGetValue(body, ["unreachable"]) != JSON_TRUE) return;
        // Nobody was found at this address. A region that has no other one is asked again in a minute.
        gCalledAt = 0;
        if (llGetUnixTime() - gAskedAt >= RETRY) requestUrl();
        else llSetTimerEvent(RETRY);
    }

    timer()
    {
        if (gLineQuery)
        {
            openNotecard();
            return;
        }
        if (gService == "")
        {
            llSetTimerEvent(0.0);
            return;
        }
        if (gActive)
        {
            integer now = llGetUnixTime();
            if (gUrl == "" || now - gCalledAt >= RENEW) requestUrl();
            else if (!gConfirmed || gSettling || now - gRegisteredAt >= RENEW) register();
            return;
        }
        if (llGetUnixTime() - gHeardActive >= SILENCE)
        {
            gActive = TRUE;
            requestUrl();
            return;
        }
        if (gStatus != STANDBY) standBy();
        tellOther("who", (string)gCaughtUp);
    }

    changed(integer change)
    {
        if (change & CHANGED_OWNER || isOtherNotecard(change)) llResetScript();
        // A region's start and a move to another region end the address.
        if (change & (CHANGED_REGION_START | CHANGED_REGION | CHANGED_TELEPORT))
        {
            gUrl = "";
            gOldUrl = "";
            gCard = "";
            if (gActive) requestUrl();
        }
        if (change & CHANGED_INVENTORY)
        {
            gCards = [];
            gCard = "";
            // The timer registers again, with the new list of items.
            if (gUrl != "" && !gSettling)
            {
                gSettling = TRUE;
                llSetTimerEvent(SETTLE);
            }
        }
    }

    touch_start(integer count)
    {
        integer i;
        for (i = 0; i < count; ++i)
            if (llDetectedKey(i) == llGetOwner())
            {
                report(gStatus + " " + (string)gGiven + " deliveries since it was started.");
                // A new address mends one that died.
                if (gActive) requestUrl();
            }
    }
}
