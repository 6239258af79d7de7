// Shelf of the Store Integration Service: shows the products of a category at a vendor with arrows.
//
// Put this script into a small prim of the vendor's object, with a notecard named "shop" that holds
//
//     service = https://the.address.of.your.service
//     key = sis_live_...
//     category = the category's UUID
//
// Name two other prims of the object "next" and "previous". The key needs the scope of the preset "shop", which can change
// nothing: never put the vendor's key here. The prim shows the picture of the product that comes next. A line "face = 4"
// puts the shown product's picture on that side of the root alone. See README.md beside this file.

string TITLE = "Shelf";
string VERSION = "0.1.0";
string NOTECARD = "shop";
string SETTINGS = "service, key, category = a UUID, face = 0 to 8";
list SCOPES = ["products:read"];

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

// A product is a list: its id, its demo's or none, name and picture, and where the list goes on and back from it.
integer ID = 0;
integer DEMO = 1;
integer NAME = 2;
integer IMAGE = 3;
integer ONWARD = 4;
integer BACK = 5;

// A product that was read this many seconds ago is read again before it is shown.
integer STALE = 600;

// The pause before another try.
integer RETRY = 60;

string gCategory;
integer gFace = ALL_SIDES;

// The product that is shown, and the one that comes next.
list gShown;
list gAhead;
integer gAheadAt;

// The request under way, and whether it asks for the product before.
key gRequest;
integer gIsBack;

// The press that waits to be answered: its time, and the name of the arrow.
integer gPressed;
string gArrow;

integer isSetting(string name, string value)
{
    integer face = (integer)value;
    if (name == "face" && (string)face == value && face >= 0 && face < 9) gFace = face;
    else if (name != "category") return FALSE;
    else if ((key)value) gCategory = value;
    else return FALSE;
    return TRUE;
}

// Asks for one product of the category: the first without a cursor.
ask(string cursor)
{
    string path = "/v1/products?category=" + gCategory + "&limit=1";
    if (cursor) path += "&cursor=" + cursor;
    gRequest = call("GET", path, "", [HTTP_BODY_MAXLENGTH, 16384]);
    llSetTimerEvent(RETRY);
    // The region lets no more through for some seconds.
    if (gRequest == NULL_KEY)
    {
        gRequest = "";
        llSetTimerEvent(5.0);
    }
}

askAhead()
{
    gIsBack = FALSE;
    gAhead = [];
    ask(llList2String(gShown, ONWARD));
}

// The number of the prim with that name; 0 for none.
integer linkOf(string name)
{
    integer link = llGetNumberOfPrims();
    while (link > 0 && llGetLinkName(link) != name) --link;
    return link;
}

// Shows the product, and tells the vendor about it: in the text above the arrow, where nobody sees it, behind the time of
// the press.
present()
{
    key image = llList2String(gShown, IMAGE);
    if (image) llSetLinkTexture(LINK_ROOT, image, gFace);
    else llSetLinkTexture(LINK_ROOT, TEXTURE_BLANK, gFace);
    // The vendor finds each part at its place: so one without a demo has the null key.
    string demo = NULL_KEY;
    if ((key)llList2String(gShown, DEMO)) demo = llList2String(gShown, DEMO);
    llSetLinkPrimitiveParamsFast(linkOf(gArrow), [PRIM_TEXT, (string)gPressed + "|" + llList2String(gShown, ID) + "|"
        + demo + "|" + llList2String(gShown, NAME), <1.0, 1.0, 1.0>, 0.0]);
    gPressed = 0;
}

// Answers the press that waits, if it can: it may have to read a product first.
turn()
{
    if (gPressed == 0) return;
    if (gArrow == "previous" && gShown != [])
    {
        // Before the first one is none: it stays.
        if (llList2String(gShown, BACK) == "") present();
        else
        {
            gIsBack = TRUE;
            ask(llList2String(gShown, BACK));
        }
    }
    else if (gAhead == [] || llGetUnixTime() - gAheadAt > STALE) askAhead();
    else
    {
        gShown = gAhead;
        present();
        askAhead();
    }
}

string orNone(string value)
{
    if (value == JSON_NULL || value == JSON_INVALID) return "";
    return value;
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

    dataserver(key query, string line)
    {
        if (query != gLineQuery) return;
        if (!isRead(line)) return;
        if (gCategory == "") stop("the notecard lacks its line \"category = ...\", with a category's UUID.");
        else askKey();
    }

    link_message(integer sender, integer number, string text, key id)
    {
        if (sender != 1 || (text != "sis:next" && text != "sis:previous")) return;
        gPressed = number;
        gArrow = llDeleteSubString(text, 0, 3);
        // A request under way brings what this press asks for, or the next answer does.
        if (gRequest == "" && gCategory != "") turn();
    }

    http_response(key request, integer status, list metadata, string body)
    {
        if (request == NULL_KEY) return;
        if (request == gKeyCheck)
        {
            string fault = keyFault(status, body);
            if (fault == "") askAhead();
            else
            {
                stop(fault);
                llSetTimerEvent(RETRY);
            }
            return;
        }
        if (request != gRequest) return;
        gRequest = "";
        if (status == 400 && gShown != [])
        {
            // A place in the list of another store: it begins again.
            gShown = [];
            askAhead();
            return;
        }
        list product = [llJsonGetValue(body, ["data", 0, "id"]), llJsonGetValue(body, ["data", 0, "demoId"]),
            llGetSubString(llJsonGetValue(body, ["data", 0, "name"]), 0, 59),
            llJsonGetValue(body, ["data", 0, "image"]), orNone(llJsonGetValue(body, ["pagination", "nextCursor"])),
            orNone(llJsonGetValue(body, ["pagination", "previousCursor"]))];
        integer isPage = llJsonValueType(body, ["data"]) == JSON_ARRAY;
        body = "";
        if (status != 200 || llList2String(product, ID) == JSON_INVALID)
        {
            if (status != 200) stop("the service answered " + (string)status + ". Next try in a minute.");
            else if (isPage && gShown == []) stop("the category has no product. Next try in a minute.");
            // The last product has gone since: the list begins again.
            else if (isPage) gShown = [];
            else stop("the answer of the service is too long.");
            return;
        }
        gTold = [];
        show("");
        if (gIsBack)
        {
            gAhead = gShown;
            gAheadAt = llGetUnixTime();
            gShown = product;
            gIsBack = FALSE;
            if (gPressed) present();
        }
        else
        {
            gAhead = product;
            gAheadAt = llGetUnixTime();
            turn();
        }
        key image = llList2String(gAhead, IMAGE);
        if (image) llSetTexture(image, ALL_SIDES);
    }

    timer()
    {
        if (gLineQuery)
        {
            openNotecard();
            return;
        }
        llSetTimerEvent(0.0);
        if (gService == "" || gCategory == "") return;
        if (gAhead == [])
        {
            llSetTimerEvent(RETRY);
            askKey();
        }
        else turn();
    }

    changed(integer change)
    {
        if (change & CHANGED_OWNER || isOtherNotecard(change)) llResetScript();
        // A request under way is never answered.
        if (change & CHANGED_REGION_START)
        {
            gRequest = "";
            gAhead = [];
            llSetTimerEvent(5.0);
        }
    }
}
